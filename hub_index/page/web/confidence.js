// @ts-check
/** How sure a hit is to fit the query, from 0 to 1; below one half it is weak: hub_index/search/ranking/confidence.py. */

import { lexicalPart } from "./fusion.js";
import { isRestricted } from "./parsed_query.js";
import { hasCjk } from "./tokens.js";

/** @typedef {import("./fusion.js").Candidate} Candidate */
/** @typedef {import("./matching.js").Plan} Plan */

/**
 * What measures a candidate of this query; what the query names, or only demands, is certain.
 * @param {any} facts @param {Plan} plan @param {import("./lexical.js").LexicalIndex} index
 * @param {number | null} smallTalk the cosine of the query's vector with the nearest piece of small talk; null without a vector
 * @returns {(candidate: Candidate) => number}
 */
export function makeJudge(facts, plan, index, smallTalk) {
  const { parsed, counts, upperBound, correction } = plan;
  const rules = facts.confidence;
  const weights = smallTalk === null ? rules.wordsAlone : rules.bothLegs;
  const isOnlySyntax = counts.size === 0 && (parsed.items.length > 0 || isRestricted(parsed));
  const isDemanding = parsed.required.length > 0 || parsed.items.length === 0;
  const unknown = weighUnknown(plan, index);
  const asked = sumOfQuery(facts, plan, weights, smallTalk) + weights.unknown * unknown;
  const size = sizeOf(facts);
  const isCjk = hasCjk(parsed.text);
  return (candidate) => {
    const isCertain = candidate.isExact || (isOnlySyntax && (candidate.lexical > 0 || isDemanding));
    if (isCertain || parsed.text === "") return 1; // the page lists all skills where nothing is asked
    const lexical = correction ? 0 : candidate.lexical;
    const part = lexicalPart({ ...candidate, lexical }, upperBound, facts.fusion);
    let total = asked + part * (weights.lexical + weights.lexicalSize * size);
    total += weights.covered * (upperBound > 0 ? Math.min(1, lexical / upperBound) : 0);
    if (isCjk) total += weights.lexicalCjk * part + weights.cosineCjk * candidate.cosine;
    total += candidate.cosine * (weights.cosine + weights.cosineSize * size + weights.cosineUnknown * unknown);
    const sure = 1 / (1 + Math.exp(-Math.max(-50, Math.min(50, total))));
    return Math.round(sure * 1000) / 1000;
  };
}

/** What the query itself says of all its hits. @param {any} facts @param {Plan} plan @param {any} weights @param {number | null} smallTalk */
function sumOfQuery(facts, plan, weights, smallTalk) {
  const rules = facts.confidence;
  const beyond = Math.min(plan.beyond, rules.mostBeyond);
  let total = weights.constant + weights.beyond * beyond + weights.size * sizeOf(facts);
  if (beyond === 0) total += weights.noneBeyond;
  if (beyond === 1) total += weights.oneBeyond;
  if (hasCjk(plan.parsed.text)) total += weights.cjk;
  return total + weights.smallTalk * Math.max(0, (smallTalk ?? 0) - rules.leastSmallTalk);
}

/** The share by weight of the query's words that the hub does not know. @param {Plan} plan @param {import("./lexical.js").LexicalIndex} index */
function weighUnknown({ counts, terms }, index) {
  let [total, unknown] = [0, 0];
  for (const [token, times] of counts) {
    const weight = times * index.boundOf(terms.get(token)?.known ?? 0);
    total += weight;
    if (!terms.get(token)?.known) unknown += weight;
  }
  return total ? unknown / total : 0;
}

/** The logarithm of the hub's size, beyond the usual one. @param {any} facts */
function sizeOf(facts) {
  return Math.log(Math.max(1, facts.lexical.count)) - facts.confidence.usualSizeLog;
}
