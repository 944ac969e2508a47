// @ts-check
/** From which evidence on a hit is more than the nearest of what does not fit: hub_index/search/ranking/weak_label.py. */

import { evidence } from "./fusion.js";
import { hasCjk } from "./tokens.js";

/** @typedef {import("./fusion.js").Candidate} Candidate */
/** @typedef {import("./matching.js").Plan} Plan */

/** Whether a candidate probably does not fit. @param {any} facts @param {Plan} plan @param {boolean} isMeaning whether vectors were compared */
export function weakness(facts, plan, isMeaning) {
  const { parsed, counts, upperBound } = plan;
  const limit = isMeaning
    ? weakBelow(facts.weak, parsed.text)
    : upperBound > 0
      ? weakBelowKeyword(facts.weak, parsed.text)
      : 0;
  const isOnlySyntax = parsed.items.length > 0 && counts.size === 0;
  return (/** @type {Candidate} */ candidate) => {
    const isSure = candidate.isExact || (isOnlySyntax && (candidate.lexical > 0 || parsed.required.length > 0));
    const isCovered = candidate.lexical > facts.weak.covered * upperBound;
    return parsed.text !== "" && !isSure && !isCovered && evidence(candidate, upperBound, facts.fusion) < limit;
  };
}

/** @param {any} weak @param {string} text */
function weakBelow(weak, text) {
  if (!hasCjk(text)) return weak.below;
  const most = isChinese(text) ? weak.belowChinese : weak.belowCjk;
  return Math.min(most, weak.leastBelowCjk + weak.lessByChar * charsBeyondShort(weak, text));
}

/** @param {any} weak @param {string} text */
function weakBelowKeyword(weak, text) {
  if (!hasCjk(text)) return weak.belowKeyword;
  const most = isChinese(text) ? weak.belowKeywordChinese : weak.belowKeywordCjk;
  return Math.min(most, weak.leastBelowKeywordCjk + weak.lessByCharKeyword * charsBeyondShort(weak, text));
}

/** @param {any} weak @param {string} text */
function charsBeyondShort(weak, text) {
  return Math.max(0, [...text].filter((character) => hasCjk(character)).length - weak.shortCjkChars);
}

/** Whether a text with CJK characters has neither kana nor hangul. @param {string} text */
function isChinese(text) {
  return !/[\u3040-\u30ff\u1100-\u11ff\uac00-\ud7ff]/u.test(text);
}
