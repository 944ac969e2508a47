// @ts-check
/** White space as Python knows it: a little more than a browser's `\s`, and without the byte order mark. */

// biome-ignore lint/suspicious/noControlCharactersInRegex: Python takes these control characters for white space
const WHITE = /[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/u;
const WHITE_AT_ENDS = new RegExp(`^${WHITE.source}|${WHITE.source}$`, "gu");

/** The stretches between white space. @param {string} text */
export function splitWhite(text) {
  return text.split(WHITE).filter((part) => part !== "");
}

/** @param {string} text */
export function stripWhite(text) {
  return text.replace(WHITE_AT_ENDS, "");
}

/** Whether a text is nothing but white space, and some of it. @param {string} text */
export function isWhite(text) {
  return text !== "" && splitWhite(text).length === 0;
}

/** The first so many characters, each whole. @param {string} text @param {number} count */
export function firstChars(text, count) {
  return text.length <= count ? text : [...text].slice(0, count).join("");
}
