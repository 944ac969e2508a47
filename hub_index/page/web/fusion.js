// @ts-check
/** Two legs → one order, with the constants of hub_index/search/fusion.py, which come with the page's data. */

/**
 * @typedef {object} Candidate
 * @property {number} row
 * @property {number} lexical
 * @property {number} cosine
 * @property {number} bonus
 * @property {boolean} isExact
 * @property {number} score
 */

/** @typedef {{lexicalWeight: number, boundPower: number, nameBonus: number, depth: number}} Constants */

/** What both legs say for a candidate. @param {Candidate} candidate @param {number} upperBound @param {Constants} constants */
export function evidence(candidate, upperBound, constants) {
  const scale = upperBound > 0 ? upperBound ** constants.boundPower : 1;
  return Math.max(0, candidate.cosine) + (constants.lexicalWeight * candidate.lexical) / scale;
}

/** By score, then by id; what the query names exactly goes first. @param {Candidate[]} candidates @param {(row: number) => string} idOf */
export function rank(candidates, idOf) {
  let top = 0;
  for (const candidate of candidates) {
    candidate.score = Math.round(candidate.score * 1e6) / 1e6;
    top = Math.max(top, candidate.score);
  }
  for (const candidate of candidates) if (candidate.isExact) candidate.score = top;
  return candidates.sort(
    (one, other) =>
      Number(other.isExact) - Number(one.isExact) || other.score - one.score || compare(idOf(one.row), idOf(other.row)),
  );
}

/** Code point by code point, as Python compares. @param {string} one @param {string} other */
function compare(one, other) {
  if (one === other) return 0;
  const [left, right] = [[...one], [...other]];
  for (let at = 0; at < Math.min(left.length, right.length); at += 1) {
    if (left[at] !== right[at])
      return /** @type {number} */ (left[at].codePointAt(0)) - /** @type {number} */ (right[at].codePointAt(0));
  }
  return left.length - right.length;
}
