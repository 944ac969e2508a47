// @ts-check
/** Which words of a query are typos, and what was meant: `_correct` of hub_index/search/lexical/matching.py. */

import { UNREAD_TERM } from "./lexical.js";
import { isFieldName } from "./scanning.js";
import { latinWords, suggestWord } from "./spelling.js";
import { hasOtherSpelling } from "./synonyms.js";

/** @typedef {import("./matching.js").Source} Source */
/** @typedef {import("./parsed_query.js").Item} Item */

/** Word as typed → word of the hub, for words that the hub does not know at all. @param {Source} source @param {import("./synonyms.js").Forms} forms @param {Item[]} items */
export async function correct(source, forms, items) {
  const rules = source.facts.spelling;
  /** @type {Set<string>} */
  const typed = new Set();
  for (const item of items) {
    for (const word of item.isPhrase || item.isPrefix || item.field ? [] : latinWords(item.text)) {
      if (!isFieldName(word.toLowerCase(), source.facts.query)) typed.add(word);
    }
    if (typed.size > rules.wordsMended) return new Map();
  }
  const unknown = [];
  for (const word of typed) {
    const tokens = source.tokenize(word);
    const terms = await Promise.all(tokens.map((token) => source.term(token)));
    const isKnown = terms.some((term) => term?.known || term === UNREAD_TERM);
    if (tokens.length && !isKnown && !hasOtherSpelling(source, forms, word)) unknown.push(word);
  }
  /** @type {Map<string, string>} */
  const found = new Map();
  for (const word of unknown.slice(0, rules.corrections)) {
    const better = await suggestWord(word, rules, source.writtenWords);
    if (better) found.set(word, better);
  }
  return found;
}
