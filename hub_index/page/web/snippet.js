// @ts-check
/** A text with the query's words marked. */

import { hasCjk } from "./tokens.js";

/** @typedef {[number, number]} Span */

/** Where a text holds tokens of the query. @param {string} text @param {{has: (token: string) => boolean}} terms @param {import("./tokens.js").Tokenizer} tokenizer */
export function markTerms(text, terms, tokenizer) {
  /** @type {Span[]} */
  const spans = [];
  for (const found of text.matchAll(/[\p{L}\p{N}\p{M}]+/gu)) {
    for (const [start, end] of matchesOf(found[0], terms, tokenizer))
      spans.push([found.index + start, found.index + end]);
  }
  return spans;
}

/** @param {string} word @param {{has: (token: string) => boolean}} terms @param {import("./tokens.js").Tokenizer} tokenizer @returns {Span[]} */
function matchesOf(word, terms, tokenizer) {
  if (!hasCjk(word)) return tokenizer.tokenize(word).some((token) => terms.has(token)) ? [[0, word.length]] : [];
  const marked = new Array(word.length).fill(false);
  for (let at = 0; at < word.length; at += 1) {
    for (const size of [1, 2]) {
      if (terms.has(word.slice(at, at + size))) marked.fill(true, at, at + size);
    }
  }
  /** @type {Span[]} */
  const spans = [];
  marked.forEach((isMarked, at) => {
    if (isMarked && !marked[at - 1]) spans.push([at, at + 1]);
    else if (isMarked) spans[spans.length - 1][1] = at + 1;
  });
  return spans;
}
