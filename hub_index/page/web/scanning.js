// @ts-check
/** Query text → its pieces in order: items and operators, as in hub_index/search/query/scanning.py. */

import { explainValue, normalizeValue } from "./filters.js";
import { makeItem } from "./parsed_query.js";
import { isWhite, splitWhite } from "./white_space.js";

/** @typedef {import("./parsed_query.js").Item} Item */
/** @typedef {import("./parsed_query.js").Notice} Notice */
/** @typedef {import("./parsed_query.js").Rules} Rules */
/** @typedef {Item | string} Piece an operator is a string */

const LONGEST_FIELD = 6; // a colon farther on belongs to no field

/** @param {string} text @param {Rules} rules @param {Notice[]} notices @returns {Piece[]} */
export function scanQuery(text, rules, notices) {
  if (!Object.keys(rules.quotes).some((quote) => text.includes(quote))) {
    return splitWhite(text).map((word) => piece(word, rules, notices));
  }
  /** @type {Piece[]} */
  const pieces = [];
  for (let at = 0; at < text.length; ) {
    if (isWhite(text[at])) {
      at += 1;
      continue;
    }
    const [sign, afterSign] = scanSign(text, at, rules);
    const [field, inner] = scanField(text, afterSign, rules);
    let end = phraseEnd(text, inner, rules);
    if (end) {
      const [inside, written] = [text.slice(inner + 1, end), text.slice(at, end + 1)];
      if (rules.filters.includes(field)) pieces.push(filterItem(field, inside, sign, written, rules, notices));
      else pieces.push(makeItem(inside, { field: rules.fields[field] ?? "", sign, isPhrase: true, written }));
      at = end + 1;
      continue;
    }
    end = at;
    while (end < text.length && !isWhite(text[end])) end += 1;
    pieces.push(piece(text.slice(at, end), rules, notices));
    at = end;
  }
  return pieces;
}

/** @param {string} written @param {Rules} rules @param {Notice[]} notices @returns {Piece} */
function piece(written, rules, notices) {
  if (rules.operators.includes(written)) return written;
  const [sign, afterSign] = scanSign(written, 0, rules);
  const [field, at] = scanField(written, afterSign, rules);
  if (Object.hasOwn(rules.quotes, written[at] ?? "")) return word(written); // a quote that nothing closes
  if (rules.filters.includes(field)) return filterItem(field, written.slice(at), sign, written, rules, notices);
  if (sign === "-" && !field && [...rules.optionSigns].some((option) => written.includes(option))) {
    tell({ key: "noticeOption", word: written }, rules, notices);
    return makeItem(written);
  }
  return word(written, at, rules.fields[field] ?? "", sign);
}

/** A word, or with a star at its end a prefix. @param {string} written @returns {Item} */
function word(written, at = 0, field = "", sign = "") {
  const isPrefix = [...written.slice(at)].length > 1 && /[\p{L}\p{N}]\*$/u.test(written);
  if (!(isPrefix || field || sign)) return makeItem(written);
  return makeItem(isPrefix ? written.slice(at, -1) : written.slice(at), { field, sign, isPrefix, written });
}

/** A filter, or plain text and a notice. @param {string} field @param {string} value @param {string} sign @param {string} written @param {Rules} rules @param {Notice[]} notices */
function filterItem(field, value, sign, written, rules, notices) {
  const known = normalizeValue(field, value, rules.days);
  if (known) return makeItem(known, { field, sign, written });
  tell(explainValue(field, value, rules.shownChars), rules, notices);
  return word(written);
}

/** @param {Notice} notice @param {Rules} rules @param {Notice[]} notices */
function tell(notice, rules, notices) {
  const isKnown = notices.some((other) => JSON.stringify(other) === JSON.stringify(notice));
  if (!isKnown && notices.length < rules.maxNotices) notices.push(notice);
}

/** `+word` and `-word`; `-5`, `--flag` and `->` are plain text. @param {string} text @param {number} at @param {Rules} rules @returns {[string, number]} */
function scanSign(text, at, rules) {
  const following = text.codePointAt(at + 1);
  const next = following === undefined ? "" : String.fromCodePoint(following);
  const isSign = (text[at] === "+" || text[at] === "-") && (/^\p{L}/u.test(next) || Object.hasOwn(rules.quotes, next));
  return isSign ? [text[at], at + 1] : ["", at];
}

/** @param {string} text @param {number} at @param {Rules} rules @returns {[string, number]} */
function scanField(text, at, rules) {
  const colon = text.indexOf(":", at);
  const following = text[colon + 1] ?? "";
  if (colon < 0 || colon >= at + LONGEST_FIELD || !following || isWhite(following)) return ["", at];
  const field = text.slice(at, colon).toLowerCase();
  return isFieldName(field, rules) ? [field, colon + 1] : ["", at];
}

/** @param {string} name @param {Rules} rules */
export function isFieldName(name, rules) {
  return Object.hasOwn(rules.fields, name) || rules.filters.includes(name);
}

/** Where the phrase that opens here closes; 0 where none does or it says nothing. @param {string} text @param {number} at @param {Rules} rules */
function phraseEnd(text, at, rules) {
  const opening = text[at] ?? "";
  const end = Object.hasOwn(rules.quotes, opening) ? text.indexOf(rules.quotes[opening], at + 1) : -1;
  return end > at + 1 && !isWhite(text.slice(at + 1, end)) ? end : 0;
}

/** Operators that have their words; the others become words, and NOT becomes a sign. @param {Piece[]} given @returns {Piece[]} */
export function resolveOperators(given) {
  const pieces = [...given];
  /** @type {Piece[]} */
  const resolved = [];
  pieces.forEach((_, at) => {
    const [current, following] = [pieces[at], pieces[at + 1]];
    if (typeof current !== "string") resolved.push(current);
    else if (current === "NOT" && following !== undefined && typeof following !== "string")
      pieces[at + 1] = { ...following, sign: "-" };
    else if (
      current !== "NOT" &&
      resolved.length &&
      typeof resolved[resolved.length - 1] !== "string" &&
      isOperand(pieces, at + 1)
    )
      resolved.push(current);
    else resolved.push(makeItem(current.toLowerCase()));
  });
  return resolved;
}

/** @param {Piece[]} pieces @param {number} at */
function isOperand(pieces, at) {
  const found = pieces[pieces[at] === "NOT" ? at + 1 : at];
  return found !== undefined && typeof found !== "string";
}
