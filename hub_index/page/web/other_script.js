// @ts-check
/** What a skill that is described in CJK is presumed to have by words, as in hub_index/search/ranking/steps/cross_script.py. */

import { lexicalPart } from "./fusion.js";

/** @typedef {import("./fusion.js").Candidate} Candidate */
/** @typedef {{share: number, nearest: number, least: number, nearly: number}} Rules */

/**
 * Sets `presumed` of all candidates that are in another script than the query.
 * @param {Candidate[]} candidates @param {(row: number) => boolean} isOther @param {number} upperBound
 * @param {import("./fusion.js").Constants} constants @param {Rules} rules
 */
export function presumeWords(candidates, isOther, upperBound, constants, rules) {
  const others = candidates.filter(({ row }) => isOther(row));
  const near = [...candidates].sort((one, other) => other.cosine - one.cosine || one.row - other.row);
  const own = near.slice(0, rules.nearest).filter(({ row }) => !isOther(row));
  if (own.length < rules.least || !others.length) return;
  const cosine = meanOf(own.map((candidate) => candidate.cosine));
  const parts = own.map((candidate) => lexicalPart(candidate, upperBound, constants));
  const part = meanOf(parts);
  const spread = own.reduce((sum, candidate) => sum + (candidate.cosine - cosine) ** 2, 0);
  const together = own.reduce((sum, candidate, at) => sum + (candidate.cosine - cosine) * (parts[at] - part), 0);
  const rise = spread > 0 ? Math.max(0, together / spread) : 0;
  const lowest = own[0].cosine - rules.nearly;
  for (const candidate of others.filter((other) => other.cosine >= lowest)) {
    const presumed = rules.share * Math.max(0, part + rise * (candidate.cosine - cosine));
    candidate.presumed = Math.round(presumed * 1e6) / 1e6;
  }
}

/** @param {number[]} values */
function meanOf(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
