// @ts-check
/** The page's data, opened when they are needed, and what the page asks of them. Runs in the Worker. */

import { DataError, DataFiles } from "./data_files.js";
import { openDictionary, openEnglish } from "./dictionary.js";
import { decodeEveryday, NOTHING_EVERYDAY } from "./everyday.js";
import { decodeShard, decodeTerm, LexicalIndex, shardOf, UNREAD_TERM } from "./lexical.js";
import { MODEL_FILES, openModel } from "./model_reader.js";
import { best, search } from "./search.js";
import { decodeSections } from "./sections.js";
import { Tokenizer } from "./tokens.js";
import { VectorScan } from "./vectors.js";
import { splitWhite } from "./white_space.js";

const DATA = new URL("./data/", import.meta.url).href;
const FACTS = "page.json";
const SUPPORTED_VERSION = 2;
const VECTOR_FILES = ["vectors.bin", "basis.bin"];
const KEPT_TERMS = 2_000; // decoded ones: the next letter asks for most of them again

/** An open page. */
export class Engine {
  constructor() {
    /** @type {(done: number, total: number) => void} */
    this.onProgress = () => {};
    /** @type {Map<string, Promise<import("./lexical.js").Term | undefined>>} */
    this.terms = new Map();
    this.asked = 0; // searches: a newer one makes those before it stop
    /** @type {Map<string, DataError>} */
    this.unread = new Map(); // files that the last search had to do without
    /** @type {any} */
    this.facts = {};
    this.files = new DataFiles(DATA, {});
    this.tokenizer = new Tokenizer({ english: new Set(), cjkCharacters: new Set(), cjkWords: new Set() });
    /** @type {Map<string, any>} */
    this.documents = new Map();
    /** @type {string[]} */
    this.ids = [];
    /** @type {number[]} */
    this.rows = []; // those of skills; the others are holes
    /** @type {Map<string, number>} */
    this.rowOf = new Map();
    /** @type {VectorScan | undefined} */
    this.scan = undefined;
    /** @type {import("./model_reader.js").ModelReader | undefined} */
    this.model = undefined;
    /** @type {Promise<Record<string, Record<string, number>>> | undefined} */
    this.written = undefined;
    /** @type {Promise<any> | undefined} */
    this.opening = undefined;
    /** @type {Promise<LexicalIndex> | undefined} */
    this.opened = undefined;
  }

  /** @param {string} method @param {any} given */
  async call(method, given) {
    if (method === "ping") return true;
    if (method === "open") return this.open();
    await this.open();
    this.files.retry();
    if (method === "search") return this.search(given);
    if (method === "skill") return this.skill(given.id);
    if (method === "related") return this.related(given.id, given.k);
    if (method === "map") return this.map();
    if (method === "loadModel") return this.loadModel();
    if (method === "listLoaded") return this.files.loaded;
    throw new Error(`the engine has no ${method}`);
  }

  /** The answer to a search, or an error of the kind "outdated" once a newer one has been asked. @param {import("./search.js").Request} given */
  async search(given) {
    this.asked += 1;
    this.unread.clear();
    const own = this.asked;
    const answer = await search(this, given, async () => {
      await new Promise((resolve) => setTimeout(resolve)); // lets a newer question in
      if (own !== this.asked) throw Object.assign(new Error("a newer search was asked"), { kind: "outdated" });
    });
    const unread = [...this.unread.values()].map(({ kind, file, message }) => ({ kind, file, message }));
    return { ...answer, unread };
  }

  /** What the page shows of the hub; data files are read when they are needed. */
  open() {
    this.opening ??= this.readFacts();
    this.opening.catch(() => (this.opening = undefined));
    return this.opening;
  }

  async readFacts() {
    const response = await fetch(DATA + FACTS, { cache: "no-cache" }).catch(() => null);
    if (!response?.ok) throw new DataError(response ? "missing" : "offline", FACTS);
    const facts = await response.json().catch(() => null);
    if (!facts) throw new DataError("damaged", FACTS);
    if (facts.version !== SUPPORTED_VERSION)
      throw Object.assign(new Error("the data are of another version than the page"), { kind: "otherVersion" });
    this.facts = facts;
    this.files = new DataFiles(DATA, facts.files);
    const { english, cjkCharacters, cjkWords } = facts.stopWords;
    this.tokenizer = new Tokenizer({
      english: new Set(english),
      cjkCharacters: new Set(cjkCharacters),
      cjkWords: new Set(cjkWords),
    });
    const { files: listed, stopWords, lexical, query, spelling, ...shown } = facts;
    return {
      ...shown,
      hasDictionary: "han/fold.bin" in listed,
      modelBytes: this.bytesOf([...MODEL_FILES, ...VECTOR_FILES]),
    };
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
    this.ids = ids;
    this.rows = [...ids.keys()].filter((row) => ids[row]);
    this.rowOf = new Map(ids.map((/** @type {string} */ id, /** @type {number} */ row) => [id, row]));
    const nameSizes = this.documents.get("name_sizes");
    return new LexicalIndex(this.facts.lexical, this.documents, nameSizes);
  }

  /** What is read; the substitute where a file of it cannot be had, which the answer to the search then names. @template T @param {Promise<T>} read @param {T} substitute */
  async readOr(read, substitute) {
    try {
      return await read;
    } catch (error) {
      if (!(error instanceof DataError)) throw error;
      this.unread.set(error.file, error);
      return substitute;
    }
  }

  /** A token's places; of a shard that cannot be read, none. @param {string} token */
  async term(token) {
    let term = this.terms.get(token);
    if (!term) {
      term = this.readTerm(token);
      term.catch(() => this.terms.delete(token));
      if (this.terms.size >= KEPT_TERMS) this.terms.clear();
      this.terms.set(token, term);
    }
    return this.readOr(term, UNREAD_TERM);
  }

  /** @param {string} token */
  async readTerm(token) {
    const shard = shardOf(token, this.facts.chunks.terms);
    const bytes = (await this.files.decode(`terms/${numbered(shard)}.bin`, decodeShard)).get(token);
    return bytes && decodeTerm(bytes);
  }

  /** What the search reads of the page. @returns {import("./matching.js").Source} */
  source() {
    const { facts, documents } = this;
    return {
      facts,
      limits: facts.limits,
      rows: this.rows,
      tokenize: (text) => this.tokenizer.tokenize(text),
      term: (token) => this.term(token),
      record: (row) => this.record(row),
      text: (row) =>
        this.readOr(
          this.body(row).then(({ text }) => text),
          null,
        ),
      lang: (row) => facts.languages[documents.get("langs")[row]] ?? "",
      day: (row) => documents.get("days")[row],
      tokenFile: (first) => this.tokenFile(first),
      writtenWords: (first) => this.writtenWords(first),
      exactRows: (text, withSigns) => this.exactRows(text, withSigns),
      isTold: (row) => documents.get("cjk")[row] > 0,
      everyday: () => this.readOr(this.files.decode("everyday.bin", decodeEveryday), NOTHING_EVERYDAY),
      dictionary: (text) => this.readOr(openDictionary(this.files, facts.chunks.han, text), null),
      english: (tokens) => this.readOr(openEnglish(this.files, tokens), null),
    };
  }

  /** The hub's tokens that begin with a character. @param {string} first @returns {Promise<import("./matching.js").TokenFile>} */
  async tokenFile(first) {
    const name = `tokens/${/^[a-z0-9]$/.test(first) ? first : "_"}.bin`;
    const none = { tokens: {}, paths: {} };
    return Object.hasOwn(this.facts.files, name) ? this.readOr(this.files.readJson(name), none) : none;
  }

  /** The hub's words as they are written that begin with a character. @param {string} first */
  async writtenWords(first) {
    this.written ??= this.files.readJson("written.bin").then(groupByFirst);
    this.written.catch(() => {
      this.written = undefined; // the next try may succeed
    });
    return (await this.readOr(this.written, {}))[first] ?? {};
  }

  /** Rows whose id or name is the text, without hyphens too unless signs count. @param {string} text @param {boolean} withSigns @returns {Promise<Set<number>>} */
  async exactRows(text, withSigns) {
    const plain = splitWhite(text.toLowerCase()).join(" ");
    const squeezed = plain.replaceAll(/[-_ ./:]/g, "");
    const keys = withSigns ? [plain] : [plain, squeezed];
    const found = await Promise.all(keys.filter(Boolean).map((key) => this.term(`=${key}`)));
    return new Set(found.flatMap((term) => (term ? [...term.lists[0].rows] : [])));
  }

  /** What a list shows of a skill; where its file cannot be read, what is known without it. @param {number} row */
  async record(row) {
    const [id, kind] = [this.ids[row], this.facts.kinds[this.documents.get("kinds")[row]]];
    const known = { id, kind, name: id, description: "", keywords: [], lang: "", path: "", file: "", updated: "" };
    return this.readOr(this.readRecord(row), known);
  }

  /** @param {number} row */
  async readRecord(row) {
    const size = this.facts.chunks.records;
    return (await this.files.readJson(`records/${numbered(Math.floor(row / size))}.bin`))[row % size];
  }

  /** @param {number} row */
  async body(row) {
    const size = this.facts.chunks.bodies;
    return (await this.files.readJson(`bodies/${numbered(Math.floor(row / size))}.bin`))[row % size];
  }

  /** @param {string} id */
  async skill(id) {
    await this.lexical();
    const row = this.rowOf.get(id);
    if (row === undefined || !id) return null;
    const [record, body] = await Promise.all([this.readRecord(row), this.body(row)]);
    return { ...record, text: body.text, cut: body.cut, files: body.files, problems: body.problems };
  }

  /** @param {string} id @param {number} k */
  async related(id, k) {
    const [scan] = await Promise.all([this.loadVectors(), this.lexical()]);
    const row = this.rowOf.get(id);
    if (row === undefined) return [];
    const cosines = scan.likeRow(row);
    const others = this.rows.filter((other) => other !== row);
    return Promise.all(best(others, (other) => cosines[other], k).map((other) => this.record(other)));
  }

  async map() {
    const [ids, map] = await Promise.all([this.files.readJson("ids.bin"), this.files.read("map.bin")]);
    const sections = decodeSections(map);
    return { ids: ids.filter(Boolean), places: sections.get("places"), clusters: sections.get("clusters") };
  }

  async loadVectors() {
    if (this.scan) return this.scan;
    const hasBasis = "basis.bin" in this.facts.files;
    const [vectors, basis] = await Promise.all([
      this.files.read("vectors.bin"),
      hasBasis ? this.files.read("basis.bin") : null,
    ]);
    const matrix = basis ? /** @type {Float32Array} */ (decodeSections(basis).get("basis")) : undefined;
    this.scan = new VectorScan(decodeSections(vectors), matrix);
    return this.scan;
  }

  async loadModel() {
    if (this.model) return true;
    const [vectors, model] = [this.bytesOf(VECTOR_FILES), this.bytesOf(MODEL_FILES)];
    this.onProgress(0, vectors + model);
    await this.loadVectors();
    this.onProgress(vectors, vectors + model);
    this.model = await openModel(this.files, this.facts.chunks);
    this.onProgress(vectors + model, vectors + model);
    return true;
  }

  /** What a visitor loads for these files. @param {string[]} names */
  bytesOf(names) {
    return names.reduce((total, name) => total + (this.facts.files[name]?.bytes ?? 0), 0);
  }
}

/** Words with their numbers by first character. @param {Record<string, number>} words */
function groupByFirst(words) {
  /** @type {Record<string, Record<string, number>>} */
  const groups = {};
  for (const [word, count] of Object.entries(words)) {
    groups[word[0]] ??= {};
    groups[word[0]][word] = count;
  }
  return groups;
}

/** @param {number} number */
function numbered(number) {
  return String(number).padStart(4, "0");
}
