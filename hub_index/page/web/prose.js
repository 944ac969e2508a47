// @ts-check
/** Whether a query is prose, whose signs are text: as in hub_index/search/query/prose.py. */

import { isFilter, makeItem } from "./parsed_query.js";
import { hasCjk } from "./tokens.js";
import { firstChars } from "./white_space.js";

/** @typedef {import("./scanning.js").Piece} Piece */
/** @typedef {import("./parsed_query.js").Rules} Rules */

/** @param {string} text @param {Piece[]} pieces @param {Rules} rules */
export function isProse(text, pieces, { prose }) {
  if (prose.code.some((sign) => text.includes(sign))) return true;
  let words = 0;
  for (const [at, piece] of pieces.entries()) {
    if (typeof piece === "string") continue;
    const following = pieces[at + 1];
    if (!piece.isPhrase && !isFilter(piece)) {
      if (prose.ends.some((end) => piece.text.endsWith(end)) || prose.stressed.includes(piece.text)) return true;
      if (following === "NOT" && prose.beforeNot.includes(piece.text.toLowerCase())) return true;
    }
    const isBesideOperator = typeof following === "string" || (at > 0 && typeof pieces[at - 1] === "string");
    if (piece.written || isFilter(piece) || isBesideOperator) continue;
    const cjk = [...piece.text].filter((character) => hasCjk(character)).length;
    words += Math.max(1, Math.floor(cjk / prose.cjkCharsAWord));
  }
  return words > prose.plainWords;
}

/** The pieces without what would demand or exclude. @param {Piece[]} pieces @param {Rules} rules @param {import("./parsed_query.js").Notice[]} notices @returns {Piece[]} */
export function takeAsText(pieces, { prose }, notices) {
  /** @type {Set<string>} */
  const ignored = new Set();
  const taken = pieces.map((piece) => {
    if (typeof piece === "string") {
      ignored.add(piece);
      return makeItem(piece);
    }
    if (isFilter(piece) || !piece.written) return piece;
    if (piece.sign || piece.field) ignored.add(piece.written);
    return piece.isPhrase ? makeItem(piece.text, { isPhrase: true }) : makeItem(piece.written);
  });
  if (ignored.size) {
    const shown = [...ignored].map((word) => firstChars(word, prose.shownChars)).slice(0, prose.shown);
    notices.push({ key: "noticeProse", words: shown.join(", ") + (ignored.size > prose.shown ? ", …" : "") });
  }
  return taken;
}

/** A sentence without its filters, its lines as they are. @param {string} text @param {Piece[]} pieces */
export function dropFilters(text, pieces) {
  const filters = pieces.filter((piece) => typeof piece !== "string").filter(isFilter);
  return filters.reduce((rest, { written }) => rest.replaceAll(written, ""), text);
}
