// @ts-check
/** The values of a parsed query, as in hub_index/search/query/parsed_query.py. */

/**
 * A word or a phrase of the query, perhaps tied to a field; with `lang` or `since` it is a filter.
 * @typedef {object} Item
 * @property {string} text
 * @property {string} field
 * @property {string} sign
 * @property {boolean} isPhrase
 * @property {boolean} isPrefix
 * @property {string} written as it stands in the query, where that is more than the text
 */

/** @typedef {Item[][]} Group alternatives, each of items that must stand together */
/** @typedef {{key: import("./strings.js").Key, [value: string]: string}} Notice */

/**
 * @typedef {object} ParsedQuery
 * @property {string} text
 * @property {string} semanticText what is embedded
 * @property {Item[]} items all that scores
 * @property {Group[]} required
 * @property {Item[]} excluded
 * @property {Group[]} filters
 * @property {string} words whose tokens are counted
 * @property {Notice[]} notices
 * @property {boolean} isLonePhrase
 * @property {boolean} isPlain
 */

/**
 * What page.json says of the syntax.
 * @typedef {object} Rules
 * @property {Record<string, string>} fields
 * @property {string[]} filters
 * @property {string[]} operators
 * @property {Record<string, string>} quotes
 * @property {string} signs
 * @property {string} optionSigns
 * @property {number} maxNotices
 * @property {number[]} days
 * @property {number} shownChars
 * @property {number} shownPhraseChars
 * @property {{plainWords: number, cjkCharsAWord: number, ends: string[], code: string[], stressed: string[], beforeNot: string[], shown: number, shownChars: number}} prose
 */

/** @param {string} text @param {Partial<Item>} [named] @returns {Item} */
export function makeItem(text, named = {}) {
  return { text, field: "", sign: "", isPhrase: false, isPrefix: false, written: "", ...named };
}

/** Whether it only restricts. @param {Item} item */
export function isFilter(item) {
  return item.field === "lang" || item.field === "since";
}

/** Whether it says what is not wanted and nothing else. @param {ParsedQuery} parsed */
export function onlyExcludes(parsed) {
  return parsed.excluded.length > 0 && !parsed.items.length && !parsed.required.length && !parsed.filters.length;
}

/** Whether some skills cannot be an answer. @param {ParsedQuery} parsed */
export function isRestricted(parsed) {
  return parsed.required.length > 0 || parsed.excluded.length > 0 || parsed.filters.length > 0;
}
