// @ts-check
/** Which words of a long prompt are the request, and which were pasted: hub_index/search/query/paste.py. */

import { isPrompt } from "./sentences.js";
import { splitWhite, stripWhite } from "./white_space.js";

/** @typedef {import("./sentences.js").PromptRules} PromptRules */
/** @typedef {(text: string) => Map<string, number>} Count */

const FENCE = "```";
const BEFORE = /^[("'`*]+/;
const AFTER = /[)"'`*,.:;!?]+$/;
const INSIDE = /['-]/g;

/** How often each token counts; one that stands only in what was pasted counts less. @param {string} text @param {PromptRules} rules @param {Count} count @param {(times: number, share: number) => number} lighten */
export function countPromptTerms(text, rules, count, lighten) {
  const counts = count(text);
  const request = requestPart(text, rules);
  if (request === text) return counts;
  const own = count(request);
  return new Map([...counts].map(([token, times]) => [token, own.get(token) ?? lighten(times, rules.pastedWeight)]));
}

/** A long prompt without what was pasted into it; the whole where nothing was, or nothing else is there. @param {string} text @param {PromptRules} rules */
export function requestPart(text, rules) {
  if (!isPrompt(text, rules)) return text;
  const outside = text
    .split(FENCE)
    .filter((_, at) => at % 2 === 0)
    .join("\n");
  const kept = outside
    .split("\n")
    .filter((line) => isProse(line, rules.plainShare))
    .join("\n");
  return stripWhite(kept) ? kept : text;
}

/** Whether most words of a line are plain. @param {string} line @param {number} share */
function isProse(line, share) {
  const words = splitWhite(line);
  return !/^[\0-\x7f]*$/.test(line) || words.filter(isPlain).length >= share * words.length;
}

/** @param {string} word */
function isPlain(word) {
  return /^[a-zA-Z]+$/.test(word.replace(BEFORE, "").replace(AFTER, "").replaceAll(INSIDE, ""));
}
