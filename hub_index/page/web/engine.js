// @ts-check
/** The page's data and a query → hits: both legs, fused as on the command line. Runs in the Worker. */

import { DataFiles } from "./data_files.js";
import { evidence, rank } from "./fusion.js";
import { decodeTerm, LexicalIndex, shardOf } from "./lexical.js";
import { ModelReader } from "./model_reader.js";
import { decodeSections } from "./sections.js";
import { hasCjk, Tokenizer } from "./tokens.js";
import { VectorScan } from "./vectors.js";

const DATA = new URL("./data/", import.meta.url).href;
const SUPPORTED_VERSION = 1;
const MAX_QUERY_CHARS = 8_192;

/** @typedef {import("./fusion.js").Candidate} Candidate */

/** An open page. */
export class Engine {
  constructor() {
    /** @type {(done: number, total: number) => void} */
    this.onProgress = () => {};
  }

  /** @param {string} method @param {any} given */
  async call(method, given) {
    if (method === "ping") return true;
    if (method === "open") return this.open();
    await this.open();
    if (method === "search") return this.search(given);
    if (method === "skill") return this.skill(given.id);
    if (method === "related") return this.related(given.id, given.k);
    if (method === "map") return this.map();
    if (method === "loadModel") return this.loadModel();
    throw new Error(`the engine has no ${method}`);
  }

  /** What the page shows of the hub; data files are read when they are needed. */
  open() {
    this.opening ??= this.readFacts();
    this.opening.catch(() => (this.opening = undefined));
    return this.opening;
  }

  async readFacts() {
    const response = await fetch(`${DATA}page.json`, { cache: "no-cache" }).catch(() => null);
    if (!response?.ok) throw Object.assign(new Error("page.json"), { kind: response ? "missing" : "offline", file: "data/page.json" });
    const facts = await response.json();
    if (facts.version !== SUPPORTED_VERSION) throw new Error("the data are of another version than the page: reload it");
    this.facts = facts;
    this.files = new DataFiles(DATA, facts.files);
    const { english, cjkCharacters, cjkWords } = facts.stopWords;
    this.tokenizer = new Tokenizer({ english: new Set(english), cjkCharacters: new Set(cjkCharacters), cjkWords: new Set(cjkWords) });
    const { files: listed, stopWords, lexical, ...shown } = facts;
    const small = Object.keys(listed).filter((name) => name === "model/model.bin" || name === "vectors.bin" || name === "basis.bin");
    return { ...shown, modelBytes: small.reduce((total, name) => total + listed[name].bytes, 0) };
  }

  /** The lexical leg, opened once. */
  lexical() {
    this.opened ??= this.openLexical();
    this.opened.catch(() => (this.opened = undefined));
    return this.opened;
  }

  async openLexical() {
    const [documents, ids] = await Promise.all([this.files.read("documents.bin"), this.files.readJson("ids.bin")]);
    this.documents = /** @type {Map<string, any>} */ (decodeSections(documents));
    /** @type {string[]} */
    this.ids = ids;
    this.rowOf = new Map(ids.map((/** @type {string} */ id, /** @type {number} */ row) => [id, row]));
    const nameSizes = this.documents.get("name_sizes");
    return new LexicalIndex(this.facts.lexical, this.documents, nameSizes, (token) => this.term(token));
  }

  /** @param {string} token */
  async term(token) {
    const shard = shardOf(token, this.facts.chunks.terms);
    const bytes = (await this.termShard(shard)).get(token);
    return bytes && decodeTerm(bytes);
  }

  /** @param {number} number @returns {Promise<Map<string, Uint8Array>>} */
  async termShard(number) {
    const sections = decodeSections(await this.files.read(`terms/${numbered(number)}.bin`));
    const names = new TextDecoder().decode(/** @type {Uint8Array} */ (sections.get("tokens"))).split("\n");
    const [ends, lists] = [/** @type {Uint32Array} */ (sections.get("ends")), /** @type {Uint8Array} */ (sections.get("lists"))];
    return new Map(names.map((name, at) => [name, lists.subarray(at ? ends[at - 1] : 0, ends[at])]));
  }

  /** @param {{text: string, mode: string, filters: Record<string, string>, k: number}} given */
  async search({ text: typed, mode, filters, k }) {
    const text = typed.slice(0, MAX_QUERY_CHARS).trim();
    const index = await this.lexical();
    const counts = this.countTerms(text);
    const { scores, upperBound, terms } = await index.score(counts);
    const exact = await this.exactRows(text);
    const isAllowed = await this.restriction(filters);
    const isMeaning = mode !== "keyword" && text && this.model && this.scan;
    const vector = isMeaning ? await this.model.embed(text) : null;
    const candidates = this.candidates({ scores, exact, isAllowed, vector, hasText: text !== "" });
    const named = index.named(terms);
    const constants = this.facts.fusion;
    for (const candidate of candidates) {
      if (!vector) candidate.score = candidate.lexical;
      else if (mode === "semantic") candidate.score = candidate.cosine;
      else {
        candidate.bonus = named.has(candidate.row) ? constants.nameBonus : 0;
        candidate.score = evidence(candidate, upperBound, constants) + candidate.bonus;
      }
    }
    const ranked = rank(candidates, (row) => this.ids[row]);
    const limit = this.weakBelow(text, vector !== null);
    const hits = await Promise.all(ranked.slice(0, k).map((candidate) => this.hit(candidate, { text, terms, upperBound, limit, vector })));
    return { mode: vector ? mode : "keyword", hits, total: ranked.length, notices: [], didYouMean: "" };
  }

  /** @param {{scores: Map<number, number>, exact: Set<number>, isAllowed: (row: number) => boolean, vector: Float32Array | null, hasText: boolean}} given */
  candidates({ scores, exact, isAllowed, vector, hasText }) {
    const cosines = vector ? this.scan.cosines(vector) : null;
    /** @type {Set<number>} */
    const rows = new Set(exact);
    const { depth } = this.facts.fusion;
    if (!hasText) this.ids.forEach((id, row) => id && rows.add(row));
    const allowed = [...scores.keys()].filter(isAllowed);
    if (cosines) {
      for (const row of best(allowed, (row) => scores.get(row) ?? 0, depth)) rows.add(row);
      const present = [...this.ids.keys()].filter((row) => this.ids[row] && isAllowed(row));
      for (const row of best(present, (row) => cosines[row], depth)) rows.add(row);
    } else for (const row of allowed) rows.add(row);
    return [...rows]
      .filter(isAllowed)
      .map((row) => ({ row, lexical: Math.round((scores.get(row) ?? 0) * 1e6) / 1e6, cosine: cosines?.[row] ?? 0, bonus: 0, isExact: exact.has(row), score: 0 }));
  }

  /** How often the query says each token. @param {string} text */
  countTerms(text) {
    /** @type {Map<string, number>} */
    const counts = new Map();
    for (const token of this.tokenizer.tokenize(text)) {
      if (counts.has(token) || counts.size < this.facts.limits.queryTerms) counts.set(token, (counts.get(token) ?? 0) + 1);
    }
    return counts;
  }

  /** Rows whose id or name is the text. @param {string} text */
  async exactRows(text) {
    if (!text) return new Set();
    const plain = text.toLowerCase().split(/\s+/u).filter(Boolean).join(" ");
    const squeezed = plain.replaceAll(/[-_ ./:]/g, "");
    const found = await Promise.all([plain, squeezed].filter(Boolean).map((key) => this.term(`=${key}`)));
    return new Set(found.flatMap((term) => (term ? [...term.lists[0].rows] : [])));
  }

  /** @param {Record<string, string>} filters @returns {Promise<(row: number) => boolean>} */
  async restriction(filters) {
    /** @type {((row: number) => boolean)[]} */
    const checks = [];
    const [kinds, langs, days] = [this.documents?.get("kinds"), this.documents?.get("langs"), this.documents?.get("days")];
    if (filters.kind) {
      const wanted = this.facts.kinds.indexOf(filters.kind);
      checks.push((row) => kinds[row] === wanted);
    }
    if (filters.lang) {
      const wanted = new Set(this.facts.languages.flatMap((/** @type {string} */ lang, /** @type {number} */ at) => (lang === filters.lang || lang.startsWith(`${filters.lang}-`) ? [at] : [])));
      checks.push((row) => wanted.has(langs[row]));
    }
    if (filters.since) {
      const day = Number(filters.since.replaceAll("-", ""));
      checks.push((row) => days[row] >= day);
    }
    for (const [name, field] of [["tag", 2], ["path", 5]]) {
      if (filters[name]) checks.push(await this.fieldCheck(filters[name], Number(field)));
    }
    return (row) => checks.every((check) => check(row));
  }

  /** Rows that hold every token of a text in one field. @param {string} text @param {number} field */
  async fieldCheck(text, field) {
    const terms = await Promise.all(this.tokenizer.tokenize(text).map((token) => this.term(token)));
    const sets = terms.map((term) => new Set(term?.lists[field].rows ?? []));
    return (/** @type {number} */ row) => sets.every((rows) => rows.has(row));
  }

  /** The evidence below which a hit is weak, as hub_index/search/weak_label.py measured it. @param {string} text @param {boolean} isMeaning */
  weakBelow(text, isMeaning) {
    const weak = this.facts.weak;
    const characters = [...text].filter((character) => hasCjk(character)).length;
    if (!isMeaning) return characters ? weak.belowKeywordCjk : weak.belowKeyword;
    if (!characters) return weak.below;
    return Math.min(weak.belowCjk, weak.leastBelowCjk + weak.lessByChar * Math.max(0, characters - weak.shortCjkChars));
  }

  /** @param {Candidate} candidate @param {{text: string, terms: Map<string, any>, upperBound: number, limit: number, vector: Float32Array | null}} about */
  async hit(candidate, { text, terms, upperBound, limit, vector }) {
    const record = await this.record(candidate.row);
    const isCovered = candidate.lexical > this.facts.weak.covered * upperBound;
    const isWeak = Boolean(text) && !candidate.isExact && !isCovered && evidence(candidate, upperBound, this.facts.fusion) < limit;
    const { snippet, spans } = this.snippet(record, terms);
    const why = [];
    if (vector) why.push({ key: "whyCosine", value: candidate.cosine.toFixed(3) });
    if (candidate.lexical) why.push({ key: "whyLexical", value: candidate.lexical.toFixed(2) });
    if (candidate.bonus) why.push({ key: "whyName" });
    if (candidate.isExact) why.push({ key: "whyExact" });
    return { ...record, row: candidate.row, score: candidate.score, weak: isWeak, snippet, spans, why };
  }

  /** The description with the query's words marked. @param {any} record @param {Map<string, any>} terms */
  snippet(record, terms) {
    const text = record.description;
    /** @type {[number, number][]} */
    const spans = [];
    for (const found of text.matchAll(/[\p{L}\p{N}\p{M}]+/gu)) {
      for (const [start, end] of this.matches(found[0], terms)) spans.push([found.index + start, found.index + end]);
    }
    return { snippet: text, spans };
  }

  /** Where a word holds tokens of the query. @param {string} word @param {Map<string, any>} terms @returns {[number, number][]} */
  matches(word, terms) {
    if (!hasCjk(word)) return this.tokenizer.wordTokens(word).some((token) => terms.has(token)) ? [[0, word.length]] : [];
    const marked = new Array(word.length).fill(false);
    for (let at = 0; at < word.length; at += 1) {
      for (const size of [1, 2]) {
        if (terms.has(word.slice(at, at + size))) marked.fill(true, at, at + size);
      }
    }
    /** @type {[number, number][]} */
    const spans = [];
    marked.forEach((isMarked, at) => {
      if (isMarked && !marked[at - 1]) spans.push([at, at + 1]);
      else if (isMarked) spans[spans.length - 1][1] = at + 1;
    });
    return spans;
  }

  /** @param {number} row */
  async record(row) {
    const size = this.facts.chunks.records;
    return (await this.files.readJson(`records/${numbered(Math.floor(row / size))}.bin`))[row % size];
  }

  /** @param {string} id */
  async skill(id) {
    await this.lexical();
    const row = this.rowOf?.get(id);
    if (row === undefined || !id) return null;
    const size = this.facts.chunks.bodies;
    const [record, bodies] = await Promise.all([this.record(row), this.files.readJson(`bodies/${numbered(Math.floor(row / size))}.bin`)]);
    const body = bodies[row % size];
    return { ...record, text: body.text, cut: body.cut, files: body.files, problems: body.problems };
  }

  /** @param {string} id @param {number} k */
  async related(id, k) {
    await Promise.all([this.lexical(), this.loadVectors()]);
    const row = this.rowOf?.get(id);
    if (row === undefined) return [];
    const cosines = this.scan.likeRow(row);
    const others = [...this.ids.keys()].filter((other) => other !== row && this.ids[other]);
    return Promise.all(best(others, (other) => cosines[other], k).map((other) => this.record(other)));
  }

  async map() {
    await this.lexical();
    const sections = decodeSections(await this.files.read("map.bin"));
    return { ids: this.ids.filter(Boolean), places: sections.get("places"), clusters: sections.get("clusters") };
  }

  async loadVectors() {
    if (this.scan) return;
    const hasBasis = "basis.bin" in this.facts.files;
    const [vectors, basis] = await Promise.all([this.files.read("vectors.bin"), hasBasis ? this.files.read("basis.bin") : null]);
    const matrix = basis ? /** @type {Float32Array} */ (decodeSections(basis).get("basis")) : undefined;
    this.scan = new VectorScan(decodeSections(vectors), matrix);
  }

  async loadModel() {
    if (this.model) return true;
    const total = ["model/model.bin", "vectors.bin", "basis.bin"].reduce((sum, name) => sum + (this.facts.files[name]?.bytes ?? 0), 0);
    this.onProgress(0, total);
    await this.loadVectors();
    this.onProgress(total - this.facts.files["model/model.bin"].bytes, total);
    const model = new ModelReader(this.files, this.facts.chunks.table);
    await model.open();
    this.onProgress(total, total);
    this.model = model;
    return true;
  }
}

/** The best of some rows, best first; equal ones in their order. @param {number[]} rows @param {(row: number) => number} value @param {number} count */
function best(rows, value, count) {
  return rows.sort((one, other) => value(other) - value(one) || one - other).slice(0, count);
}

/** @param {number} number */
function numbered(number) {
  return String(number).padStart(4, "0");
}
