// @ts-check
/** A parsed query without repetitions and no larger than its caps, as in hub_index/search/query/query.py. */

import { isFilter } from "./parsed_query.js";
import { splitWords } from "./tokens.js";

/** @typedef {import("./parsed_query.js").Item} Item */
/** @typedef {import("./parsed_query.js").Group} Group */
/** @typedef {import("./parsed_query.js").ParsedQuery} ParsedQuery */
/** @typedef {{queryDemands: number, queryDemandTerms: number, queryPrefixes: number}} Limits */
/** @typedef {(text: string) => string[]} Tokenize */

/** How much of the caps is left; an item that came before is free. */
class Budget {
  /** @param {Limits} limits @param {Tokenize} tokenize */
  constructor(limits, tokenize) {
    /** @type {Map<string, boolean>} */
    this.admitted = new Map();
    this.demands = limits.queryDemands;
    this.terms = limits.queryDemandTerms;
    this.prefixes = limits.queryPrefixes;
    this.isSpent = false;
    this.tokenize = tokenize;
  }

  /** @param {Item} item */
  admit(item) {
    const key = itemKey(item);
    let fits = this.admitted.get(key);
    if (fits === undefined) {
      const cost = this.tokenize(item.text).length;
      fits = this.demands > 0 && this.terms >= cost && this.prefixes >= Number(item.isPrefix);
      if (fits) {
        this.demands -= 1;
        this.terms -= cost;
        this.prefixes -= Number(item.isPrefix);
      }
      this.isSpent ||= !fits;
      this.admitted.set(key, fits);
    }
    return fits;
  }
}

/** What makes two items the same. @param {Item} item */
function itemKey({ text, field, isPhrase, isPrefix }) {
  return JSON.stringify([text, field, isPhrase, isPrefix]);
}

/** @param {ParsedQuery} parsed @param {Limits} limits @param {Tokenize} tokenize @returns {ParsedQuery} */
export function limitQuery(parsed, limits, tokenize) {
  const budget = new Budget(limits, tokenize);
  const filters = limitGroups(parsed.filters, budget);
  const excluded = distinct(parsed.excluded).filter((item) => !isIdle(item, tokenize) && budget.admit(item));
  const required = limitGroups(parsed.required, budget);
  /** @type {Item[]} */
  const items = [];
  const seen = new Set();
  for (const item of parsed.items) {
    const key = itemKey(item);
    if (!(item.isPrefix || item.isPhrase || item.field)) items.push(item);
    else if (!seen.has(key) || item.isPhrase) {
      const isKept = !seen.has(key) && budget.admit(item);
      items.push(isKept ? item : { ...item, isPrefix: false, isPhrase: false, field: "" });
      seen.add(key);
    }
  }
  /** @type {import("./parsed_query.js").Notice[]} */
  const notices = budget.isSpent ? [...parsed.notices, { key: "noticeTooMany" }] : parsed.notices;
  return { ...parsed, items, required, excluded, filters, notices };
}

/** The distinct groups that fit; one that an item without a word fulfils is left out. @param {Group[]} groups @param {Budget} budget */
function limitGroups(groups, budget) {
  /** @type {Map<string, Group>} */
  const kept = new Map();
  for (const group of groups) {
    /** @type {Map<string, Item[]>} */
    const alternatives = new Map();
    for (const items of group) {
      const busy = distinct(items).filter((item) => !isIdle(item, budget.tokenize));
      const key = JSON.stringify(busy.map(itemKey));
      if (busy.every((item) => budget.admit(item)) && !alternatives.has(key)) alternatives.set(key, busy);
    }
    const key = JSON.stringify([...alternatives.keys()]);
    if (alternatives.size && !alternatives.has("[]") && !kept.has(key)) kept.set(key, [...alternatives.values()]);
  }
  return [...kept.values()];
}

/** @param {Item[]} items */
function distinct(items) {
  /** @type {Map<string, Item>} */
  const first = new Map();
  for (const item of items) if (!first.has(itemKey(item))) first.set(itemKey(item), item);
  return [...first.values()];
}

/** Stop words and signs alone. @param {Item} item @param {Tokenize} tokenize */
function isIdle(item, tokenize) {
  return !isFilter(item) && !(item.isPrefix ? splitWords(item.text) : tokenize(item.text)).length;
}
