// @ts-check
/** Whether a query spells a skill's name out: all of its words, two or more, side by side (hub_index/search/name_bonus.py). */

import { hasCjk, splitWords } from "./tokens.js";

/** @param {string[]} tokens of the query @param {string} name @param {(text: string) => string[]} tokenize */
export function spellsOut(tokens, name, tokenize) {
  const wanted = tokenize(name).sort();
  if (wanted.length < 2 || (splitWords(name).length < 2 && !hasCjk(name))) return false;
  return tokens.some((_, at) => JSON.stringify(tokens.slice(at, at + wanted.length).sort()) === JSON.stringify(wanted));
}
