// @ts-check
/** Query text → ParsedQuery, as in hub_index/search/query/query.py: nothing that a visitor types is an error. */

import { isFilter, isRestricted, makeItem } from "./parsed_query.js";
import { dropFilters, isProse, takeAsText } from "./prose.js";
import { limitQuery } from "./query_limits.js";
import { isFieldName, resolveOperators, scanQuery } from "./scanning.js";
import { firstChars, splitWhite, stripWhite } from "./white_space.js";

/** @typedef {import("./parsed_query.js").Item} Item */
/** @typedef {import("./parsed_query.js").Group} Group */
/** @typedef {import("./parsed_query.js").Notice} Notice */
/** @typedef {import("./parsed_query.js").ParsedQuery} ParsedQuery */
/** @typedef {import("./parsed_query.js").Rules} Rules */
/** @typedef {{query: Rules, limits: import("./query_limits.js").Limits & {queryChars: number, queryTerms: number}}} Facts of page.json */

/** @param {string} typed @param {Facts} facts @param {(text: string) => string[]} tokenize @returns {ParsedQuery} */
export function parseQuery(typed, { query: rules, limits }, tokenize) {
  const cut = firstChars(typed, limits.queryChars);
  /** @type {Notice[]} */
  const notices = cut === typed ? [] : [{ key: "noticeLong", count: String(limits.queryChars) }];
  const text = stripWhite(cut);
  if (!mayHoldSyntax(text, rules)) return parsePlain(text, notices);
  let pieces = scanQuery(text, rules, notices);
  const isTold = isProse(text, pieces, rules);
  if (isTold) pieces = takeAsText(pieces, rules, notices);
  const grouped = group(resolveOperators(pieces), text, notices);
  const isStructured = isRestricted(grouped) || grouped.items.some((item) => item.isPrefix);
  const parsed = limitQuery(demandLonePhrases(grouped), limits, tokenize);
  if (isTold) {
    const told = dropFilters(text, pieces);
    return { ...parsed, words: told, semanticText: told };
  }
  const join = (/** @type {Item[]} */ items) => items.map((item) => item.text).join(" ");
  const words = join(parsed.items.filter((item) => !item.field && !item.isPrefix));
  return { ...parsed, words, semanticText: isStructured ? join(parsed.items) : text };
}

/** The query as plain words, whatever signs it holds. @param {string} text @param {Notice[]} [notices] @returns {ParsedQuery} */
export function parsePlain(text, notices = []) {
  const items = splitWhite(text).map((word) => makeItem(word));
  return {
    text,
    semanticText: text,
    items,
    required: [],
    excluded: [],
    filters: [],
    words: text,
    notices,
    isLonePhrase: false,
    isPlain: true,
  };
}

/** How often each token stands in a text, in its order. @param {string[]} tokens @param {number} most */
export function countTerms(tokens, most) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const token of tokens) {
    if (counts.has(token) || counts.size < most) counts.set(token, (counts.get(token) ?? 0) + 1);
  }
  return counts;
}

/** Items where they belong: what scores, what is demanded together or instead, what excluded. @param {import("./scanning.js").Piece[]} pieces @param {string} text @param {Notice[]} notices @returns {ParsedQuery} */
function group(pieces, text, notices) {
  /** @type {Item[][]} */
  let chain = []; // alternatives of items that must stand together
  /** @type {Item[][]} */
  const languages = [];
  /** @type {Group[]} */
  const required = [];
  /** @type {Group[]} */
  const filters = [];
  /** @type {Item[]} */
  const items = [];
  /** @type {Item[]} */
  const excluded = [];
  let [joiner, isDemanded] = ["", false];
  const closeChain = () => {
    const held = chain.flat();
    if (held.length && held.every((item) => item.field === "lang") && held.length === chain.length)
      languages.push(...chain);
    else if (held.length && held.every(isFilter)) filters.push(chain);
    else if (isDemanded) required.push(chain);
    chain = [];
  };
  for (const piece of pieces) {
    if (typeof piece === "string") {
      joiner = piece;
      continue;
    }
    if (piece.sign === "-") excluded.push(piece);
    else {
      if (joiner === "AND" && chain.length) chain[chain.length - 1].push(piece);
      else if (joiner === "OR" && chain.length) chain.push([piece]);
      else {
        closeChain();
        isDemanded = false;
        chain.push([piece]);
      }
      isDemanded ||= joiner === "AND" || piece.sign === "+" || piece.field !== "";
      if (!isFilter(piece)) items.push(piece);
    }
    joiner = "";
  }
  closeChain();
  if (languages.length) filters.push(languages);
  const parts = { items, required, excluded, filters };
  return { text, semanticText: text, ...parts, words: "", notices, isLonePhrase: false, isPlain: false };
}

/** A quick look: most queries are words, and need no more. @param {string} text @param {Rules} rules */
function mayHoldSyntax(text, rules) {
  if (rules.operators.some((operator) => text.includes(operator))) return true;
  if (Object.keys(rules.quotes).some((quote) => text.includes(quote))) return true;
  return [...rules.signs].some((sign) => text.includes(sign)) && splitWhite(text).some((word) => isMarked(word, rules));
}

/** @param {string} word @param {Rules} rules */
function isMarked(word, rules) {
  return (
    word[0] === "+" || word[0] === "-" || word.endsWith("*") || isFieldName(word.split(":")[0].toLowerCase(), rules)
  );
}

/** A query of phrases alone means them; in a sentence a phrase only scores. @param {ParsedQuery} parsed @returns {ParsedQuery} */
function demandLonePhrases(parsed) {
  if (!parsed.items.length || parsed.required.length || !parsed.items.every((item) => item.isPhrase)) return parsed;
  return { ...parsed, isLonePhrase: true, required: [parsed.items.map((item) => [item])] };
}
