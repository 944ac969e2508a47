// @ts-check
/** Two legs → one order, with the constants of hub_index/search/ranking/fusion.py, which come with the page's data. */

/**
 * @typedef {object} Candidate
 * @property {number} row
 * @property {number} lexical
 * @property {number} cosine
 * @property {number} bonus
 * @property {number} presumed for words of another script
 * @property {boolean} isExact
 * @property {number} score
 * @property {number} confidence that it fits the query
 */

/** @typedef {{lexicalWeight: number, boundPower: number, nameBonus: number, depth: number}} Constants */

/** What both legs say for a candidate. @param {Candidate} candidate @param {number} upperBound @param {Constants} constants */
export function evidence(candidate, upperBound, constants) {
  return Math.max(0, candidate.cosine) + lexicalPart(candidate, upperBound, constants);
}

/** What the words say for a candidate, in units of the cosine. @param {Candidate} candidate @param {number} upperBound @param {Constants} constants */
export function lexicalPart(candidate, upperBound, constants) {
  const scale = upperBound > 0 ? upperBound ** constants.boundPower : 1;
  return (constants.lexicalWeight * candidate.lexical) / scale;
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
  for (let at = 0; at < Math.min(one.length, other.length); at += 1) {
    if (one[at] !== other[at]) return placeOf(one.charCodeAt(at)) - placeOf(other.charCodeAt(at));
  }
  return one.length - other.length;
}

/** Halves of characters beyond the first 65,536 go after all others. @param {number} unit */
function placeOf(unit) {
  return unit >= 0xd800 && unit < 0xe000 ? unit + 0x10000 : unit;
}
