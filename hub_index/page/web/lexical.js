// @ts-check
/**
 * Query terms → scores of all documents that hold one of them: the sum over fields of
 * hub_index/search/lexical/lexical.py, from posting lists that are fetched token by token.
 */

import { decodeSections } from "./sections.js";
import { hasCjk } from "./tokens.js";

const FIELDS = ["name", "description", "keywords", "body", "foreign", "path"];
const BODY = FIELDS.indexOf("body");
const FOREIGN = FIELDS.indexOf("foreign");
const SCORING = FIELDS.flatMap((field, number) => (field === "path" ? [] : [number]));
const K1 = 1.2; // tantivy's BM25
const B = 0.75;
const SATURATION = 1 + K1;

/** @typedef {{rows: Uint32Array, times: Uint32Array}} PostingList */
/** @typedef {{known: number, lists: PostingList[]}} Term */
/** @typedef {{count: number, cjkCount: number, weights: Record<string, number>, generalTokens: string[], generalShare: number, lone: {holders: number, share: number, lift: number}, lengthTable: number[], averages: Record<string, number>}} Statistics */

/** Stands for a token whose shard cannot be read: in no skill, and yet not unknown to the hub. @type {Term} */
export const UNREAD_TERM = {
  known: 0,
  lists: FIELDS.map(() => ({ rows: new Uint32Array(), times: new Uint32Array() })),
};

/** The lexical leg on documents' lengths and a source of terms. */
export class LexicalIndex {
  /**
   * @param {Statistics} statistics
   * @param {Map<string, Uint8Array>} lengths codes by field
   * @param {Uint8Array} nameSizes distinct tokens of each name
   */
  constructor(statistics, lengths, nameSizes) {
    this.statistics = statistics;
    this.nameSizes = nameSizes;
    this.general = new Set(statistics.generalTokens);
    /** What a document's length adds to the times of a token, by field and code. */
    this.norms = FIELDS.map((field) => {
      const average = statistics.averages[field === "foreign" ? "body" : field] || 1;
      return Float32Array.from(statistics.lengthTable, (length) => K1 * (1 - B + (B * length) / average));
    });
    this.codes = FIELDS.map((field) => lengths.get(field === "foreign" ? "body" : field) ?? new Uint8Array());
  }

  /** @param {number} known documents that hold a token @param {number} [count] documents that could */
  idf(known, count = this.statistics.count) {
    return Math.log(1 + (count - known + 0.5) / (known + 0.5));
  }

  /** The most that a token of so many documents can give in one field. @param {number} known */
  boundOf(known) {
    return SATURATION * this.idf(known);
  }

  /**
   * Adds the scores by row; the most that they could reach.
   * @param {Map<number, number>} scores @param {Map<string, number>} counts how often the query says each token
   * @param {Map<string, Term | undefined>} terms @param {number} beside the most that the scores could reach before
   */
  score(scores, counts, terms, beside) {
    const bounds = [...counts].map(([token, times]) => {
      const term = terms.get(token);
      return term === UNREAD_TERM ? 0 : repeatWeight(times) * this.boundOf(term?.known ?? 0);
    });
    const upperBound = bounds.reduce((sum, bound) => sum + bound, 0) + beside;
    const { holders, share } = this.statistics.lone;
    [...counts].forEach(([token, times], at) => {
      const term = terms.get(token);
      const isLone = term && term.known > 0 && term.known <= holders && bounds[at] >= share * upperBound;
      if (isLone) this.addLone(scores, token, term, repeatWeight(times), bounds[at]);
      else if (term) this.addWord(scores, token, term, repeatWeight(times));
    });
    return upperBound;
  }

  /** A skill that holds the one rare word of a query has all that the word can score, wherever it stands. @param {Map<number, number>} scores @param {string} token @param {Term} term @param {number} weight @param {number} bound */
  addLone(scores, token, term, weight, bound) {
    /** @type {Map<number, number>} */
    const found = new Map();
    this.addWord(found, token, term, weight);
    for (const row of this.holdersOf(term)) {
      const score = Math.max(this.statistics.lone.lift * bound, found.get(row) ?? 0);
      scores.set(row, (scores.get(row) ?? 0) + score);
    }
  }

  /** Rows that hold a token in any field but the path. @param {Term} term @returns {Set<number>} */
  holdersOf(term) {
    return new Set(SCORING.flatMap((field) => [...term.lists[field].rows]));
  }

  /** Adds what a word that the user wrote gives. @param {Map<number, number>} scores @param {string} token @param {Term} term @param {number} weight */
  addWord(scores, token, term, weight) {
    this.addTerm(scores, token, term, weight, term.known, SCORING, this.bodyShareOf(token));
  }

  /** What a word in that field counts. @param {number} field */
  weightOf(field) {
    return this.statistics.weights[FIELDS[field]];
  }

  /** How much of a body's weight a word that the user wrote has: less where it is a general one. @param {string} token */
  bodyShareOf(token) {
    return this.general.has(token) ? this.statistics.generalShare : 1;
  }

  /**
   * Adds what a token gives in some fields, or in all but the path.
   * @param {Map<number, number>} scores @param {string} token @param {Term} term @param {number} weight
   * @param {number} [known] documents that hold it @param {number[]} [fields] @param {number} [bodyShare]
   */
  addTerm(scores, token, term, weight, known = term.known, fields = SCORING, bodyShare = 1) {
    const isCjk = hasCjk(token);
    const among = isCjk ? Math.max(this.statistics.cjkCount, known) : this.statistics.count;
    const base = weight * this.idf(known, among);
    for (const field of fields) {
      if (field === FOREIGN && !isCjk) continue;
      const share = field === BODY ? bodyShare : 1;
      this.addList(scores, term.lists[field], field, base * share * this.weightOf(field));
    }
  }

  /** @param {Map<number, number>} scores @param {PostingList} list @param {number} field @param {number} weight */
  addList(scores, { rows, times }, field, weight) {
    const [norms, codes] = [this.norms[field], this.codes[field]];
    for (let at = 0; at < rows.length; at += 1) {
      const share = (times[at] * SATURATION) / (times[at] + norms[codes[rows[at]]]);
      scores.set(rows[at], (scores.get(rows[at]) ?? 0) + weight * share);
    }
  }

  /** Rows whose name has two tokens or more, all of them in the query. @param {Map<string, Term | undefined>} terms */
  named(terms) {
    /** @type {Map<number, number>} */
    const found = new Map();
    for (const term of terms.values()) {
      for (const row of term?.lists[0].rows ?? []) found.set(row, (found.get(row) ?? 0) + 1);
    }
    return new Set([...found].filter(([row, count]) => count > 1 && count === this.nameSizes[row]).map(([row]) => row));
  }
}

/** What a term counts that stands so often in the query. @param {number} times */
export function repeatWeight(times) {
  return times === 1 ? 1 : (1.5 * times) / (times + 0.5);
}

/** How often a term would stand in the query if it had that share of its weight. @param {number} times @param {number} share */
export function lighten(times, share) {
  const weight = share * repeatWeight(times);
  return (0.5 * weight) / (1.5 - weight);
}

/** The bytes of each token of a shard. @param {ArrayBuffer} content @returns {Map<string, Uint8Array>} */
export function decodeShard(content) {
  const sections = decodeSections(content);
  const names = new TextDecoder().decode(/** @type {Uint8Array} */ (sections.get("tokens"))).split("\n");
  const ends = /** @type {Uint32Array} */ (sections.get("ends"));
  const lists = /** @type {Uint8Array} */ (sections.get("lists"));
  return new Map(names.map((name, at) => [name, lists.subarray(at ? ends[at - 1] : 0, ends[at])]));
}

/** One token of a shard. @param {Uint8Array} bytes @returns {Term} */
export function decodeTerm(bytes) {
  let at = 0;
  const next = () => {
    let [number, shift] = [0, 0];
    for (;;) {
      const byte = bytes[at];
      at += 1;
      number += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return number;
      shift += 7;
    }
  };
  const known = next();
  const lists = FIELDS.map(() => {
    const count = next();
    const list = { rows: new Uint32Array(count), times: new Uint32Array(count) };
    let row = 0;
    for (let place = 0; place < count; place += 1) {
      row += next();
      list.rows[place] = row;
      list.times[place] = next();
    }
    return list;
  });
  return { known, lists };
}

/** A token's shard among a power of two of them, as hub_index/page/data/terms.py chooses it. @param {string} token @param {number} count */
export function shardOf(token, count) {
  let number = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(token)) number = Math.imul(number ^ byte, 0x01000193) >>> 0;
  return (number ^ (number >>> 15)) & (count - 1);
}
