// @ts-check
/** A query's text + the page's data → what scores and what restricts, as in hub_index/search/lexical/matching.py. */

import { countBeyond, isForeign } from "./everyday.js";
import { liftIdentifiers } from "./identifiers.js";
import { lighten } from "./lexical.js";
import { isRestricted, onlyExcludes } from "./parsed_query.js";
import { countPromptTerms, requestPart } from "./paste.js";
import { BODY, DESCRIPTION, FOREIGN, intersect, KEYWORDS, NAME, PATH, PhraseFinder } from "./phrases.js";
import { countTerms, parsePlain, parseQuery } from "./query.js";
import { replaceWords } from "./spelling.js";
import { weighWords } from "./synonyms.js";
import { translateToChinese } from "./to_chinese.js";
import { hasCjk, splitWords } from "./tokens.js";
import { translateQuery } from "./translation.js";
import { correct } from "./typos.js";
import { firstChars } from "./white_space.js";

/** @typedef {import("./parsed_query.js").Item} Item */
/** @typedef {import("./parsed_query.js").ParsedQuery} ParsedQuery */
/** @typedef {import("./lexical.js").LexicalIndex} LexicalIndex */
/** @typedef {{tokens: Record<string, number>, paths: Record<string, number>}} TokenFile */
/** @typedef {import("./phrases.js").Source & {facts: any, rows: number[], lang: (row: number) => string, day: (row: number) => number, tokenFile: (first: string) => Promise<TokenFile>, writtenWords: (first: string) => Promise<Record<string, number>>, exactRows: (text: string, withSigns: boolean) => Promise<Set<number>>, isTold: (row: number) => boolean, everyday: () => Promise<import("./everyday.js").Everyday>, dictionary: (text: string) => Promise<import("./translation.js").Dictionary | null>, english: (tokens: string[]) => Promise<((gloss: string) => string[]) | null>}} Source */

/**
 * @typedef {object} Plan
 * @property {ParsedQuery} parsed
 * @property {Set<number>} exact
 * @property {Map<string, number>} counts
 * @property {number} beyond words that are not heard in small talk
 * @property {Map<string, import("./lexical.js").Term | undefined>} terms
 * @property {Map<number, number>} scores
 * @property {number} upperBound
 * @property {Set<number> | null} allowed null: every skill
 * @property {string} correction
 * @property {import("./parsed_query.js").Notice[]} notices
 * @property {import("./translation.js").Gloss[]} glosses what its words mean in the other language, in words of the hub
 */

const FIELD_NUMBERS = /** @type {Record<string, number>} */ ({ name: NAME, keywords: KEYWORDS, path: PATH });
const TEXT_FIELDS = [NAME, DESCRIPTION, KEYWORDS, BODY];

/** @param {Source} source @param {LexicalIndex} index @param {string} typed @returns {Promise<Plan>} */
export async function planQuery(source, index, typed) {
  let parsed = parseQuery(typed, source.facts, source.tokenize);
  const [exact, everyday] = await Promise.all([
    parsed.text ? source.exactRows(parsed.text, onlyExcludes(parsed)) : new Set(),
    source.everyday(),
  ]);
  if (exact.size) parsed = parsePlain(parsed.text, sayNamed(parsed, source.facts.query.shownPhraseChars));
  const corrections = isForeign(everyday, parsed.words)
    ? new Map()
    : await correct(source, everyday.forms, parsed.items);
  const words = replaceWords(parsed.words, corrections);
  const request = requestPart(words, source.facts.prompt);
  const count = (/** @type {string} */ text) => countTerms(source.tokenize(text), source.facts.limits.queryTerms);
  const counts = countPromptTerms(words, request, source.facts.prompt, count, lighten);
  const weighted = await weighWords(source, index, everyday.forms, request, counts);
  await liftIdentifiers(source, index, request, weighted.scores, weighted.upperBound);
  const matcher = new Matcher(source, index, weighted.scores);
  // the strings of pasted code are not what is asked for
  const weighed = parsed.isPlain
    ? []
    : parsed.items.filter((item) => !isPhraseAlone(item) || request.includes(item.text));
  for (const item of weighed) weighted.upperBound += await matcher.weigh(item);
  const translate = hasCjk(words) ? translateQuery : translateToChinese;
  const glosses = await translate(source, index, words, counts, weighted);
  const notices = [...parsed.notices];
  if (parsed.isLonePhrase && parsed.required.length && !(await matcher.restrict(parsed)).size) {
    // no skill holds the phrase: probably a sentence in quotes, whose words are meant
    parsed = { ...parsed, required: [] };
    notices.push(sayRelaxed(parsed, source.facts.query.shownPhraseChars));
  }
  const allowed = isRestricted(parsed) ? await matcher.restrict(parsed) : null;
  if (matcher.phrases.isCut) notices.push({ key: "noticePhraseCut" });
  const correction = corrections.size ? replaceWords(parsed.text, corrections) : "";
  return {
    parsed,
    exact,
    counts,
    beyond: countBeyond(everyday, counts.keys()),
    ...weighted,
    allowed,
    correction,
    notices,
    glosses,
  };
}

/** Whether all that it adds is a bonus for words side by side. @param {Item} item */
function isPhraseAlone(item) {
  return item.isPhrase && !item.field && !item.isPrefix;
}

/** @param {ParsedQuery} parsed @param {number} shown @returns {import("./parsed_query.js").Notice[]} */
function sayNamed(parsed, shown) {
  const signed = parsed.excluded.filter((item) => item.written);
  return signed.map((item) => ({ key: "noticeNamed", word: firstChars(item.written, shown) }));
}

/** @param {ParsedQuery} parsed @param {number} shown @returns {import("./parsed_query.js").Notice} */
function sayRelaxed(parsed, shown) {
  const phrases = [...new Set(parsed.items.map((item) => `"${item.text}"`))].join(" or ");
  return { key: isRestricted(parsed) ? "noticeRelaxedAllowed" : "noticeRelaxed", phrases: firstChars(phrases, shown) };
}

/** The items of one query on the page's data. */
export class Matcher {
  /** @param {Source} source @param {LexicalIndex} index @param {Map<number, number>} scores that items add to */
  constructor(source, index, scores) {
    this.source = source;
    this.index = index;
    this.scores = scores;
    this.phrases = new PhraseFinder(source, (row) => scores.get(row) ?? 0);
  }

  /** Adds an item's score where it is more than a word; what it adds to the upper bound. @param {Item} item */
  async weigh(item) {
    if (item.isPrefix) return this.weighPrefix(item);
    if (item.field) return this.weighField(item);
    if (item.isPhrase) await this.addPhraseBonus(item);
    return 0;
  }

  /** The best of the words that begin so: a skill is not better for having many of them. @param {Item} item */
  async weighPrefix(item) {
    /** @type {Map<number, number>} */
    const best = new Map();
    let [bound, groups] = [0, 0];
    for (const token of await this.expandPrefix(item)) {
      const term = await this.source.term(token);
      if (!term) continue;
      /** @type {Map<number, number>} */
      const scores = new Map();
      const known = knownIn(term, item.field);
      if (item.field) this.index.addTerm(scores, token, term, 1, known, [FIELD_NUMBERS[item.field]]);
      else this.index.addWord(scores, token, term, 1);
      if (!scores.size) continue;
      for (const [row, score] of scores) best.set(row, Math.max(score, best.get(row) ?? 0));
      bound += this.index.boundOf(known);
      groups += 1;
    }
    for (const [row, score] of best) this.scores.set(row, (this.scores.get(row) ?? 0) + score);
    return groups ? bound / groups : 0; // its rarest word would make every other one look weak
  }

  /** @param {Item} item */
  async weighField(item) {
    let bound = 0;
    for (const token of new Set(this.source.tokenize(item.text))) {
      const term = await this.source.term(token);
      const known = term ? knownIn(term, item.field) : 0;
      if (!term || !known) continue;
      this.index.addTerm(this.scores, token, term, 1, known, [FIELD_NUMBERS[item.field]]);
      bound += this.index.weightOf(FIELD_NUMBERS[item.field]) * this.index.boundOf(known);
    }
    return bound;
  }

  /** What a quoted phrase adds in a sentence. @param {Item} item */
  async addPhraseBonus(item) {
    for (const field of TEXT_FIELDS) {
      for (const tokens of this.spellings(item.text).filter((found) => found.length > 1)) {
        const terms = await Promise.all(tokens.map((token) => this.source.term(token)));
        const rarity = terms.reduce((sum, term) => sum + this.index.idf(term?.lists[field].rows.length ?? 0), 0);
        const weight = this.index.weightOf(field) * this.source.facts.limits.phraseWeight * rarity;
        const found = [...(await this.phrases.find(field, tokens))];
        const list = {
          rows: Uint32Array.from(found, ([row]) => row),
          times: Uint32Array.from(found, ([, times]) => times),
        };
        this.index.addList(this.scores, list, field, weight);
      }
    }
  }

  /** The phrase as written and in lower case: `PowerPoint` stands for three tokens, `powerpoint` for one. @param {string} text */
  spellings(text) {
    const both = [this.source.tokenize(text), this.source.tokenize(text.toLowerCase())].filter(
      (tokens) => tokens.length,
    );
    return both.filter((tokens, at) => at === 0 || JSON.stringify(tokens) !== JSON.stringify(both[0]));
  }

  /** Tokens of the hub that stand for words with this beginning, the common ones first. @param {Item} item */
  async expandPrefix({ text, field }) {
    const prefix = splitWords(text).at(-1)?.toLowerCase() ?? "";
    if (!prefix) return [];
    const most = this.source.facts.limits.expansions;
    const [file, written] = await Promise.all([this.source.tokenFile(prefix[0]), this.source.writtenWords(prefix[0])]);
    const held = field === "path" ? file.paths : file.tokens;
    const begins = (/** @type {Record<string, number>} */ words) =>
      Object.keys(words)
        .filter((word) => word.startsWith(prefix))
        .sort()
        .slice(0, 4 * most);
    /** @type {Map<string, number>} */
    const counts = new Map(begins(held).map((token) => [token, held[token]]));
    for (const word of begins(written)) {
      for (const token of this.source.tokenize(word)) {
        const term = await this.source.term(token);
        counts.set(token, term ? knownIn(term, field) : 0);
      }
    }
    return [...counts]
      .filter(([, count]) => count)
      .sort(([one, often], [other, less]) => less - often || (one < other ? -1 : 1))
      .slice(0, most)
      .map(([token]) => token);
  }

  /** Every skill that fulfils what the query demands. @param {ParsedQuery} parsed */
  async restrict(parsed) {
    let allowed = new Set(this.source.rows);
    for (const group of [...parsed.filters, ...parsed.required]) {
      const either = new Set();
      for (const items of group) {
        const sets = await Promise.all(items.map((item) => this.match(item)));
        for (const row of sets[0]) if (sets.every((rows) => rows.has(row))) either.add(row);
      }
      allowed = new Set([...allowed].filter((row) => either.has(row)));
    }
    for (const item of parsed.excluded) for (const row of await this.match(item)) allowed.delete(row);
    return allowed;
  }

  /** Skills that hold the word or phrase, or that a filter lets through. @param {Item} item @returns {Promise<Set<number>>} */
  async match(item) {
    if (item.field === "since")
      return new Set(this.source.rows.filter((row) => this.source.day(row) >= Number(item.text)));
    if (item.field === "lang")
      return new Set(this.source.rows.filter((row) => isOfLanguage(this.source.lang(row), item.text)));
    const fields = item.field ? [FIELD_NUMBERS[item.field]] : TEXT_FIELDS;
    if (item.isPrefix) return this.holdingAny(await this.expandPrefix(item), item.field);
    const spellings = this.spellings(item.text);
    if (!item.isPhrase && item.field !== "path") {
      const found = await Promise.all(spellings.map((tokens) => this.holdingAll(tokens, item.field)));
      return new Set(found.flat());
    }
    const found = [];
    for (const field of fields) {
      for (const tokens of spellings) {
        found.push(await this.phrases.find(field, tokens));
        if (field === BODY) found.push(await this.phrases.find(field, tokens, true));
      }
    }
    return new Set(found.flatMap((rows) => [...rows.keys()]));
  }

  /** @param {string[]} tokens @param {string} field */
  async holdingAny(tokens, field) {
    const lists = await Promise.all(tokens.map((token) => this.holding(token, field)));
    return new Set(lists.flatMap((rows) => [...rows]));
  }

  /** @param {string[]} tokens @param {string} field */
  async holdingAll(tokens, field) {
    return intersect(await Promise.all(tokens.map((token) => this.holding(token, field))));
  }

  /** Rows that hold a token in a field, or in any but the path. @param {string} token @param {string} field */
  async holding(token, field) {
    const term = await this.source.term(token);
    if (!term) return new Uint32Array();
    const fields = field ? [FIELD_NUMBERS[field]] : [...TEXT_FIELDS, FOREIGN];
    return Uint32Array.from(new Set(fields.flatMap((number) => [...term.lists[number].rows])));
  }
}

/** In how many skills a token stands; those of paths are not among the others. @param {import("./lexical.js").Term} term @param {string} field */
function knownIn(term, field) {
  return field === "path" ? term.lists[PATH].rows.length : term.known;
}

/** `zh` is every Chinese; `zh-cn` is that and what only says `zh`, but not `zh-tw`. @param {string} written @param {string} tag */
function isOfLanguage(written, tag) {
  const lang = written.toLowerCase();
  const [primary, own] = [tag.split("-")[0], lang.split("-")[0]];
  if (!lang || own !== primary) return false;
  return tag === primary || lang === primary || `${tag}-`.startsWith(`${lang}-`) || lang.startsWith(`${tag}-`);
}
