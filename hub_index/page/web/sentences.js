// @ts-check
/** A long prompt → its sentences, each of which may be the request: hub_index/search/query/sentences.py. */

import { isWhite, stripWhite } from "./white_space.js";

/** @typedef {{minPromptChars: number, minSentenceChars: number, maxSentences: number, ends: string, cjkEnds: string, sentenceShare: number, pastedWeight: number, plainShare: number, bullets: string[], traceback: string}} PromptRules */

/** Whether a query is long enough to be more than one request. @param {string} text @param {PromptRules} rules */
export function isPrompt(text, rules) {
  return text.length > rules.minPromptChars && [...text].length > rules.minPromptChars;
}

/** The sentences of a long prompt; none where it is short or has but one. @param {string} text @param {PromptRules} rules */
export function splitSentences(text, rules) {
  if (!isPrompt(text, rules)) return [];
  const characters = [...text];
  /** @type {string[]} */
  const sentences = [];
  let start = 0;
  characters.forEach((character, at) => {
    const isEnd =
      rules.cjkEnds.includes(character) || (rules.ends.includes(character) && isWhite(characters[at + 1] ?? ""));
    if (!isEnd && at + 1 < characters.length) return;
    const sentence = stripWhite(characters.slice(start, at + 1).join(""));
    if ([...sentence].length >= rules.minSentenceChars) sentences.push(sentence);
    start = at + 1;
  });
  return sentences.length > 1 ? sentences.slice(0, rules.maxSentences) : [];
}
