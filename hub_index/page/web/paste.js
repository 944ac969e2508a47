// @ts-check
/** Which words of a long prompt are the request, and which were pasted: hub_index/search/lexical/paste.py. */

import { isPrompt } from "./sentences.js";
import { isWhite, splitWhite, stripWhite } from "./white_space.js";

/** @typedef {import("./sentences.js").PromptRules} PromptRules */
/** @typedef {(text: string) => Map<string, number>} Count */

const FENCE = "```";
const BEFORE = /^[("'`*]+/;
const AFTER = /[)"'`*,.:;!?]+$/;
const INSIDE = /['-]/g;

/** How often each token counts; one that stands only in what was pasted counts less. @param {string} text @param {string} request @param {PromptRules} rules @param {Count} count @param {(times: number, share: number) => number} lighten */
export function countPromptTerms(text, request, rules, count, lighten) {
  const counts = count(text);
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
  let isPasted = false;
  const kept = outside.split("\n").filter((line) => {
    const isContinued = isPasted && isWhite(line.slice(0, 1)) && !isWhite(line);
    isPasted = isContinued || stripWhite(line) === rules.traceback || !isProse(line, rules);
    return !isPasted;
  });
  const request = kept.join("\n");
  return stripWhite(request) ? request : text;
}

/** Whether most words of a line are plain. @param {string} line @param {PromptRules} rules */
function isProse(line, { bullets, plainShare: share }) {
  const all = splitWhite(line);
  const words = bullets.includes(all[0]) ? all.slice(1) : all;
  return !/^[\0-\x7f]*$/.test(line) || words.filter(isPlain).length >= share * words.length;
}

/** @param {string} word */
function isPlain(word) {
  return /^[a-zA-Z]+$/.test(word.replace(BEFORE, "").replace(AFTER, "").replaceAll(INSIDE, ""));
}
