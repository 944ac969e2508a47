// @ts-check
/** What people say every day, from one file of the page: spellings for one thing, small talk, words of other languages. */

import { hasCjk } from "./tokens.js";
import { splitWhite } from "./white_space.js";

/** @typedef {{forms: Record<string, string[]>, smallTalk: Set<string>, foreign: Set<string>}} Everyday forms: each spelling with its others that the hub holds, as tokens joined by spaces */

/** Stands for a file that cannot be read. @type {Everyday} */
export const NOTHING_EVERYDAY = { forms: {}, smallTalk: new Set(), foreign: new Set() };

const AROUND = /^[.,;:!?"'()]+|[.,;:!?"'()]+$/g;
const LATIN_LETTER = /[\u0080-\u024f]/u;

/** @param {ArrayBuffer} content @returns {Everyday} */
export function decodeEveryday(content) {
  const { forms, smallTalk, foreign } = JSON.parse(new TextDecoder().decode(content));
  return { forms, smallTalk: new Set(smallTalk), foreign: new Set(foreign) };
}

/** How many of some tokens are not heard in small talk. @param {Everyday} everyday @param {Iterable<string>} tokens */
export function countBeyond({ smallTalk }, tokens) {
  return [...tokens].filter((token) => !smallTalk.has(token)).length;
}

/** Whether a text has a word, or a Latin letter, that English has not: hub_index/search/words/foreign_words.py. @param {Everyday} everyday @param {string} text */
export function isForeign({ foreign }, text) {
  if (splitWhite(text.toLowerCase()).some((word) => foreign.has(word.replaceAll(AROUND, "")))) return true;
  return !hasCjk(text) && [...text].some((character) => LATIN_LETTER.test(character) && /\p{L}/u.test(character));
}
