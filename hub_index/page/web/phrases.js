// @ts-check
/**
 * Where words stand next to each other. Posting lists hold no places: the texts of the skills that hold all words are
 * read, at most so many; the rest is taken to hold the phrase, and a notice says so.
 */

import { hasCjk } from "./tokens.js";
import { firstChars } from "./white_space.js";

export const NAME = 0;
export const DESCRIPTION = 1;
export const KEYWORDS = 2;
export const BODY = 3;
export const FOREIGN = 4;
export const PATH = 5;
const FOREIGN_SIGN = "~"; // before a CJK token of the body of an otherwise English skill

/** @typedef {import("./lexical.js").Term} Term */
/** @typedef {{record: (row: number) => Promise<any>, text: (row: number) => Promise<string | null>, tokenize: (text: string) => string[], term: (token: string) => Promise<Term | undefined>, limits: {bodyChars: number, phraseRows: number}}} Source */

/** Finds phrases for one query. */
export class PhraseFinder {
  /** @param {Source} source @param {(row: number) => number} scoreOf the best are read first */
  constructor(source, scoreOf) {
    this.source = source;
    this.scoreOf = scoreOf;
    this.isCut = false; // whether some texts were not read
    /** @type {Map<string, Promise<string[] | null>>} */
    this.read = new Map();
  }

  /** How often the words stand together in a field, by row. @param {number} field @param {string[]} tokens @param {boolean} isForeign whether CJK is that of an English skill @returns {Promise<Map<number, number>>} */
  async find(field, tokens, isForeign = false) {
    const terms = await Promise.all(tokens.map((token) => this.source.term(token)));
    const lists = terms.map(
      (term, at) => term?.lists[isForeign && hasCjk(tokens[at]) ? FOREIGN : field].rows ?? new Uint32Array(),
    );
    const rows = intersect(lists);
    if (tokens.length === 1) return new Map(rows.map((row) => [row, 1]));
    const wanted = tokens.map((token) => (isForeign && hasCjk(token) ? FOREIGN_SIGN + token : token));
    const ordered = rows.sort((one, other) => this.scoreOf(other) - this.scoreOf(one) || one - other);
    const most = this.source.limits.phraseRows;
    /** @type {Map<number, number>} */
    const found = new Map();
    await Promise.all(
      ordered.map(async (row, at) => {
        const held = at < most ? await this.tokensOf(row, field) : null;
        if (held === null) this.isCut = true;
        const count = held === null ? 1 : countTogether(held, wanted);
        if (count) found.set(row, count);
      }),
    );
    return found;
  }

  /** A field's tokens in their order; null where the page has no text. @param {number} row @param {number} field */
  tokensOf(row, field) {
    const key = `${row} ${field}`;
    let tokens = this.read.get(key);
    if (!tokens) {
      tokens = this.readTokens(row, field);
      this.read.set(key, tokens);
    }
    return tokens;
  }

  /** @param {number} row @param {number} field */
  async readTokens(row, field) {
    const record = await this.source.record(row);
    if (field !== BODY) {
      const text = [record.name, record.description, record.keywords.join(" "), "", "", record.path][field];
      return this.source.tokenize(text);
    }
    const text = await this.source.text(row);
    if (text === null) return null;
    const isForeign = !hasCjk(record.name) && !hasCjk(record.description);
    const tokens = this.source.tokenize(firstChars(text, this.source.limits.bodyChars));
    return isForeign ? tokens.map((token) => (hasCjk(token) ? FOREIGN_SIGN + token : token)) : tokens;
  }
}

/** Rows that stand in all lists, each of which rises. @param {Uint32Array[]} lists */
export function intersect(lists) {
  const [shortest, ...others] = [...lists].sort((one, other) => one.length - other.length);
  const sets = others.map((rows) => new Set(rows));
  return [...(shortest ?? [])].filter((row) => sets.every((rows) => rows.has(row)));
}

/** @param {string[]} held @param {string[]} wanted */
function countTogether(held, wanted) {
  let count = 0;
  for (let at = 0; at + wanted.length <= held.length; at += 1) {
    if (wanted.every((token, next) => held[at + next] === token)) count += 1;
  }
  return count;
}
