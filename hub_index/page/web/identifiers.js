// @ts-check
/** Names with signs in them, whose parts are everyday words: hub_index/search/lexical/identifiers.py. */

import { BODY, DESCRIPTION, KEYWORDS, NAME, PhraseFinder } from "./phrases.js";

/** @typedef {import("./lexical.js").LexicalIndex} LexicalIndex */
/** @typedef {import("./matching.js").Source} Source */

const MAX_NAMES = 4;
const MAX_TOKENS = 8;
const AROUND = ".,;:!?()[]{}\"'`";
const WHOLE = /^-{0,2}[\p{L}\p{N}_]+(?:[_./:-]+[\p{L}\p{N}_]+)+$/u;
const SIGN = /[\p{L}\p{N}_][_./:]+[\p{L}\p{N}_]|^--[\p{L}\p{N}_]/u;

/** Lifts the few skills that hold a name whole, where it is most of what the query can score. @param {Source} source @param {LexicalIndex} index @param {string} text @param {Map<number, number>} scores @param {number} upperBound */
export async function liftIdentifiers(source, index, text, scores, upperBound) {
  const { holders, share, lift } = index.statistics.lone;
  for (const tokens of listNames(text, source.tokenize)) {
    const terms = await Promise.all([...new Set(tokens)].map((token) => source.term(token)));
    const reach = terms.reduce((sum, term) => sum + index.boundOf(term?.known ?? 0), 0);
    if (reach < share * upperBound || terms.some((term) => !term?.known)) continue;
    const rows = await findWhole(source, tokens, scores);
    if (rows.size > holders) continue;
    for (const row of rows) scores.set(row, (scores.get(row) ?? 0) + lift * reach);
  }
}

/** Rows that hold the tokens side by side; none where too many would have to be read. @param {Source} source @param {string[]} tokens @param {Map<number, number>} scores */
async function findWhole(source, tokens, scores) {
  const finder = new PhraseFinder(source, (row) => scores.get(row) ?? 0);
  /** @type {Set<number>} */
  const rows = new Set();
  for (const field of [NAME, DESCRIPTION, KEYWORDS, BODY]) {
    for (const row of (await finder.find(field, tokens)).keys()) rows.add(row);
  }
  for (const row of (await finder.find(BODY, tokens, true)).keys()) rows.add(row);
  return finder.isCut ? new Set() : rows;
}

/** @param {string} text @param {(text: string) => string[]} tokenize */
function listNames(text, tokenize) {
  const words = text.split(/\s+/u).map(stripAround);
  const names = words.filter((word) => SIGN.test(word) && WHOLE.test(word)).slice(0, MAX_NAMES);
  return names.map((name) => tokenize(name)).filter((tokens) => tokens.length > 1 && tokens.length <= MAX_TOKENS);
}

/** @param {string} word */
function stripAround(word) {
  let [start, end] = [0, word.length];
  while (start < end && AROUND.includes(word[start])) start += 1;
  while (end > start && AROUND.includes(word[end - 1])) end -= 1;
  return word.slice(start, end);
}
