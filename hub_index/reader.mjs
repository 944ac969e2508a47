// @ts-check
/**
 * Reads and searches a hub's published index: one file without dependencies, for Node 18 and later and for browsers, to
 * be copied into any project.
 *
 *     node reader.mjs path/to/hub/search "how do I analyze database perf?"
 *
 *     const index = await openIndex("path/to/hub/search"); // or an address: openIndex("https://…/search/")
 *     const answer = await index.search("how do I analyze database perf?", { k: 5 }); // by words
 *     const both = await index.search("…", { vector: await myModel("…"), model: "openai:my-model" });
 *
 * docs/format.md of hub-index specifies the format and this keyword search (profile `tiny`); schemas/conformance has cases
 * for readers in other languages. Nothing in an index is trusted: sizes are known before memory is taken, links are not
 * followed, and every record and vector is checked before it is used. Licence: Apache-2.0.
 */

/** @typedef {Record<string, any>} Values */
/** @typedef {{file: string, bytes?: number, sha256?: string}} FileFacts what another writer left out is undefined */
/** @typedef {{skills: FileFacts, vectors: FileFacts, count?: number, number: number, width: number}} Part format 1 has one, of width 0 */
/** @typedef {{record: Values, score: number}} Hit */
/** @typedef {{mode: string, reason: string, hits: Hit[]}} Answer the mode that answered, and why it is another than was asked for */
/** @typedef {{k?: number, vector?: ArrayLike<number> | null, model?: string, mode?: string}} Question */
/** @typedef {(name: string, maxBytes: number, bytes?: number) => Promise<Uint8Array>} ReadFile */

const MANIFEST = "index_manifest.json";
const [MAX_COUNT, MAX_DIM, MAX_PART_BITS, MAX_JSON_DEPTH, MAX_INT_CHARS] = [2_000_000, 16_384, 10, 16, 20];
const [MAX_MANIFEST, MAX_WHOLE_MANIFEST, MAX_LINE] = [512 * 1024, 64 * 1024, 64 * 1024 - 1]; // bytes
const [MAX_SKILLS, MAX_VECTORS, MAX_PART_FILE] = [4 * 1024 ** 3, 16 * 1024 ** 3, 100_000_000]; // bytes
const [NORM_TOLERANCE, LIFT_TOLERANCE] = [1e-3, 1e-5];
const [K1, B, RRF_K, MAX_TOKEN, MAX_QUERY, UNITS] = [1.2, 0.75, 60, 64, 8192, 1e6]; // scores have six decimals
const STOP_WORDS = new Set(
  `a an and are as at be by can do does for from how i if in is it me my of on or please that the this to use want what
  when where which with would you your`.split(/\s+/),
);
const HEX = /^[0-9a-f]{64}$/;
const DIGEST = /^sha256:[0-9a-f]{64}$/;
const LANG = /^[A-Za-z0-9-]{0,16}$/;
const TYPE = /^[a-z]{1,16}$/;
const DOCUMENTS = ["workflows", "commands", "agents"];
const TIME =
  /^(?!0000)([0-9]{4})-(0[1-9]|1[0-2])-([0-9]{2})[Tt]([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]{1,9})?([Zz]|[+-]([01][0-9]|2[0-3]):[0-5][0-9])$/;
const REVISION =
  // biome-ignore lint/suspicious/noMisleadingCharacterClass: U+034F is refused by itself
  /^(?!-)(?!.*\.\.)[^\0- ~^:?*[\\\x7f-\xa0\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\u3164\ud800-\uf8ff\ufe00-\ufe0f\ufeff\uffa0\ufff0-\uffff\u{e0000}-\u{10ffff}]+$/u;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
const FORBIDDEN = /[\0-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/u;
const FLAG = new RegExp(`\u{1f3f4}(?:${["gbeng", "gbsct", "gbwls"].map(tags).join("|")})\u{e007f}`, "gu");
const CJK = "\\u3005-\\u3007\\u3041-\\u30fa\\u30fc-\\u31ff\\u3400-\\u9fff\\uac00-\\ud7a3\\u{20000}-\\u{3ffff}";
const RUN = new RegExp(`([${CJK}]+)|(?:(?![${CJK}])[\\p{L}\\p{N}])+`, "gu");
const TOKEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: JSON has none in a text
  /[ \t\n\r]*(?:([{}[\],:])|("(?:[^"\\\0-\x1f]|\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4}))*")|(-?(?:0|[1-9][0-9]*))(\.[0-9]+)?([eE][+-]?[0-9]+)?|(true|false|null))/y;

/** An index, or a part of it, cannot be used. */
export class IndexRefused extends Error {
  /** @param {"missing" | "corrupt" | "too-new" | "changed" | "mismatch"} kind @param {string} reason */
  constructor(kind, reason) {
    super(reason);
    this.kind = kind;
  }
}

/** A number with a point or an exponent: 4.0 is no whole number. */
class Fraction extends Number {}

/** @param {unknown} isRight @param {string} where @param {string} what @param {IndexRefused["kind"]} [kind] */
function need(isRight, where, what, kind = "corrupt") {
  if (!isRight) throw new IndexRefused(kind, `${where}: ${what}`);
}

/** Tag characters for letters. @param {string} letters */
function tags(letters) {
  return [...letters].map((letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0))).join("");
}

/** JSON; what two parsers may read differently is refused. */
class StrictJson {
  /** @param {string} text @param {string} where */
  constructor(text, where) {
    this.text = text;
    this.where = where;
    this.at = 0;
  }

  /** The next token: a sign, or a value in a list. @returns {string | [any]} */
  next() {
    TOKEN.lastIndex = this.at;
    const [, sign, text, whole, fraction, exponent, word] = TOKEN.exec(this.text) ?? [];
    need(sign ?? text ?? whole ?? word, this.where, "is not valid JSON");
    this.at = TOKEN.lastIndex;
    if (sign) return sign;
    if (word) return [JSON.parse(word)];
    if (text) {
      const value = JSON.parse(text);
      need(!/\p{Cs}/u.test(value), this.where, "is not valid JSON: half a character");
      return [value];
    }
    if (fraction ?? exponent) {
      const value = Number(whole + (fraction ?? "") + (exponent ?? ""));
      need(Number.isFinite(value), this.where, "is not valid JSON: a huge number");
      return [new Fraction(value)];
    }
    need(whole.length <= MAX_INT_CHARS, this.where, "is not valid JSON: a long number");
    return [Number(whole)];
  }

  /** The value that begins with a token. @param {string | [any]} token @param {number} depth @returns {any} */
  value(token, depth) {
    if (typeof token !== "string") return token[0];
    need((token === "{" || token === "[") && depth < MAX_JSON_DEPTH, this.where, "is not valid JSON, or too deep");
    const [list, values] = [/** @type {any[]} */ ([]), /** @type {Values} */ (Object.create(null))];
    const end = token === "{" ? "}" : "]";
    for (let item = this.next(); item !== end || list.length > 0; item = this.next()) {
      if (token === "{") {
        const key = typeof item === "string" ? undefined : item[0];
        need(
          typeof key === "string" && !(key in values) && this.next() === ":",
          this.where,
          "is not valid JSON, or a key stands twice",
        );
        values[key] = this.value(this.next(), depth + 1);
        list.push(key);
      } else list.push(this.value(item, depth + 1));
      const sign = this.next();
      if (sign === end) break;
      need(sign === ",", this.where, "is not valid JSON");
    }
    return token === "{" ? values : list;
  }
}

/** @param {Uint8Array} data @param {string} where @returns {Values} */
function parseObject(data, where) {
  let text = "";
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(data);
  } catch {
    need(false, where, "is not UTF-8");
  }
  const json = new StrictJson(text, where);
  const value = json.value(json.next(), 0);
  need(/^[ \t\n\r]*$/.test(text.slice(json.at)), where, "is not valid JSON: something follows");
  need(
    typeof value === "object" && value !== null && Object.getPrototypeOf(value) === null,
    where,
    "is not a JSON object",
  );
  return value;
}

/** The value with ordinary numbers. @param {any} value @returns {any} */
function plain(value) {
  if (value instanceof Fraction) return value.valueOf();
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  for (const key of Object.keys(value)) value[key] = plain(value[key]);
  return value;
}

/** @param {unknown} value @param {number} [maxChars] @param {string} [keep] */
function isText(value, maxChars = 1024, keep = "") {
  if (typeof value !== "string" || value.length > 2 * maxChars) return false;
  const rest = value.replace(FLAG, " ");
  return [...value].length <= maxChars && !FORBIDDEN.test(keep ? rest.replaceAll(keep, " ") : rest);
}

/** @param {unknown} value */
function isTime(value) {
  const [year, month, day] = (typeof value === "string" ? (TIME.exec(value) ?? []) : []).slice(1, 4).map(Number);
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return day >= 1 && day <= [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1];
}

/** @param {RegExp} pattern @returns {(value: unknown) => boolean} */
function matches(pattern) {
  return (value) => typeof value === "string" && isText(value) && pattern.test(value);
}

/** @param {number} low @param {number} high @returns {(value: unknown) => boolean} */
function within(low, high) {
  return (value) => typeof value === "number" && value >= low && value <= high;
}

const FORMAT_1 = ["vector_file", "skills_file", "vector_bytes", "vector_sha256", "skills_bytes", "skills_sha256"];
/** @type {Record<string, (value: any) => boolean>} */
const RULES = {
  created_at: isTime,
  hub_revision: matches(REVISION),
  model_id: matches(/^[^:]+:.+$/su),
  dim: within(1, MAX_DIM),
  normalize: (value) => typeof value === "boolean",
  count: within(0, MAX_COUNT),
  vector_file: (value) => value === "vectors.f32",
  skills_file: (value) => value === "skills.jsonl",
  vector_bytes: within(0, MAX_VECTORS),
  vector_sha256: matches(HEX),
  skills_bytes: within(0, MAX_SKILLS),
  skills_sha256: matches(HEX),
  source_digest: matches(DIGEST),
  text_version: within(0, 1e6),
  space: matches(DIGEST),
  generator: (value) => isText(value),
  shallow: (value) => typeof value === "boolean",
  constant_part: (value) => value instanceof Fraction && value.valueOf() > 0 && value.valueOf() < 1,
};

/** The manifest, every known field checked, and its parts. @param {Uint8Array} data @returns {{values: Values, parts: Part[]}} */
export function parseManifest(data) {
  need(data.length <= MAX_MANIFEST, MANIFEST, "is too large");
  const values = parseObject(data, MANIFEST);
  const version = values.index_version;
  need(typeof version === "number" && version > 0, MANIFEST, "index_version is not a positive number");
  need(version <= 2, MANIFEST, "the index has a later format than 2; upgrade this reader", "too-new");
  need(version === 2 || data.length <= MAX_WHOLE_MANIFEST, MANIFEST, "is too large");
  const own = version === 1 ? FORMAT_1.slice(0, 2) : ["count", "parts"];
  for (const key of ["created_at", "hub_revision", "model_id", "dim", "normalize", ...own]) {
    need(key in values, MANIFEST, `${key} is missing`);
  }
  for (const [key, isRight] of Object.entries(RULES)) {
    const isMisplaced = version === 2 && FORMAT_1.includes(key);
    need(
      !(key in values) || (isRight(values[key]) && !isMisplaced),
      MANIFEST,
      `${key} has a value that is not allowed there`,
    );
  }
  const isLiftable = values.dim >= 2 && values.normalize;
  need(!("constant_part" in values) || isLiftable, MANIFEST, "constant_part needs dim 2 or more, and normalize");
  need((values.count ?? 0) * values.dim * 4 <= MAX_VECTORS, MANIFEST, "count × dim × 4 is too large");
  return { parts: version === 1 ? [onePart(values)] : manyParts(values), values: plain(values) };
}

/** @param {Values} values @returns {Part} */
function onePart(values) {
  const [size, stride, count] = [values.vector_bytes, values.dim * 4, values.count];
  const isRight = size === undefined || (count === undefined ? size % stride === 0 : size === count * stride);
  need(isRight, MANIFEST, "vector_bytes is not count × dim × 4");
  for (const kind of ["skills", "vector"]) {
    need(`${kind}_bytes` in values || !(`${kind}_sha256` in values), MANIFEST, `${kind}_bytes is missing`);
  }
  const skills = { file: "skills.jsonl", bytes: values.skills_bytes, sha256: values.skills_sha256 };
  const vectors = { file: "vectors.f32", bytes: size, sha256: values.vector_sha256 };
  return { skills, vectors, count, number: 0, width: 0 };
}

/** @param {Values} values @returns {Part[]} */
function manyParts(values) {
  const listed = Array.isArray(values.parts) ? values.parts : [];
  const width = Math.round(Math.log2(listed.length));
  const isRight = width >= 1 && width <= MAX_PART_BITS && listed.length === 2 ** width;
  need(isRight, MANIFEST, "parts is not a list of 2, 4, 8 … 1,024 parts");
  const parts = listed.map((part, number) => {
    const bits = number.toString(2).padStart(width, "0");
    need(part?.bits === bits, MANIFEST, `part ${bits} is not in its place`);
    const skills = fileFacts(part.skills, `skills-${bits}.jsonl`);
    const vectors = fileFacts(part.vectors, `vectors-${bits}.f32`);
    const isCounted = within(0, MAX_COUNT)(part.count) && vectors.bytes === part.count * values.dim * 4;
    need(isCounted, MANIFEST, `part ${bits} has no count, or not that of its vectors`);
    return { skills, vectors, count: /** @type {number} */ (part.count), number, width };
  });
  const total = parts.reduce((sum, part) => sum + part.count, 0);
  need(total === values.count, MANIFEST, "count is not the sum of all parts");
  return parts;
}

/** @param {any} facts @param {string} name @returns {FileFacts} */
function fileFacts(facts, name) {
  const isRight = facts?.file === name && within(0, MAX_PART_FILE)(facts.bytes) && matches(HEX)(facts.sha256);
  need(isRight, MANIFEST, `${name} is missing, or has no right size or digest`);
  return { file: name, bytes: facts.bytes, sha256: facts.sha256 };
}

/** The records of a part, ids ascending. @param {Uint8Array} data @param {Part} part @returns {Values[]} */
export function parseRecords(data, part) {
  /** @type {Values[]} */
  const records = [];
  const { file } = part.skills;
  for (let start = 0; start < data.length; ) {
    const where = `${file} line ${records.length + 1}`;
    const end = data.indexOf(10, start) + 1;
    need(end > 0, where, "does not end in a line feed");
    const line = data.subarray(start, end - 1);
    need(line.length < MAX_LINE && !line.includes(13), where, "is too long, or holds a carriage return");
    const record = parseObject(line, where);
    checkRecord(record, where);
    need(
      !records.length || codePointOrder(records[records.length - 1].id, record.id) < 0,
      where,
      "is out of order, or its id occurs twice",
    );
    need(part.width === 0 || partOf(record.id, part.width) === part.number, where, "belongs to another part");
    records.push(plain(record));
    start = end;
  }
  need(
    part.count === undefined || part.count === records.length,
    file,
    `has ${records.length} lines, and the manifest another number`,
  );
  return records;
}

/** @param {string} id @param {number} width */
function partOf(id, width) {
  const digest = plainSha256(new TextEncoder().encode(id));
  return ((digest[0] << 8) | digest[1]) >> (16 - width);
}

/** The order of code points, which is that of UTF-8; JavaScript's own is that of UTF-16. @param {string} first @param {string} second */
function codePointOrder(first, second) {
  const length = Math.min(first.length, second.length);
  for (let at = 0; at < length; at += 1) {
    const [a, b] = [first.charCodeAt(at), second.charCodeAt(at)];
    if (a !== b) return (a >= 0xd800 && a < 0xe000 ? a + 0x10000 : a) - (b >= 0xd800 && b < 0xe000 ? b + 0x10000 : b);
  }
  return first.length - second.length;
}

/** @param {Values} record @param {string} where */
function checkRecord(record, where) {
  for (const field of ["id", "path", "name", "description", "text_hash", "updated_at"]) {
    need(typeof record[field] === "string", where, `${field} is missing or not a text`);
  }
  need(record.name && isText(record.name, 256), where, "name is empty, too long or not plain text");
  need(isText(record.description, 8192, "\n"), where, "description is too long or not plain text");
  const words = record.keywords === undefined ? [] : record.keywords;
  const areWords = Array.isArray(words) && words.length <= 2048 && words.every((word) => word && isText(word, 2048));
  need(areWords, where, "keywords is not a list of texts");
  need(record.lang === undefined || matches(LANG)(record.lang), where, "lang is not the short name of a language");
  need(record.type === undefined || matches(TYPE)(record.type), where, "type is not a word");
  need(matches(HEX)(record.text_hash), where, "text_hash is not a sha256");
  need(isTime(record.updated_at), where, "updated_at is not a time");
  need(isPlace(record.id, record.path), where, "id or path is unsafe, or the path does not end in the id");
}

/** @param {string} id @param {string} path */
function isPlace(id, path) {
  if (!isRelative(id, 512) || !isRelative(path, 1024)) return id === "root" && path === ".";
  const [folder, ...steps] = id.split(":");
  const [plainId, plainPath] = [id.normalize("NFC"), path.normalize("NFC")];
  const isPlugin = folder === "plugins" && steps.length > 2;
  if (steps.length && !id.includes("/") && DOCUMENTS.includes(isPlugin ? steps[1] : folder)) {
    // a document, not a skill's folder
    const place = plainId.slice(0, plainId.lastIndexOf(":")).replaceAll(":", "/");
    return !steps.slice(0, -1).includes("..") && (plainPath === place || (plainPath === folder && !isPlugin));
  }
  return `/${path}`.endsWith(`/${id}`) || `/${plainPath}`.endsWith(`/${plainId}`);
}

/** @param {string} path @param {number} maxBytes */
function isRelative(path, maxBytes) {
  const isPlain =
    !path.includes("\\") && isText(path) && !path.split("/").some((step) => ["", ".", ".."].includes(step));
  return isPlain && new TextEncoder().encode(path).length <= maxBytes;
}

/** The words of a text, and the pairs of neighbours among its CJK characters. @param {string} text @returns {string[]} */
export function tinyTokens(text) {
  const loose = text.normalize("NFKD").replace(/\p{M}/gu, "").normalize("NFC").toLowerCase();
  /** @type {string[]} */
  const found = [];
  for (const [run, cjk] of loose.matchAll(RUN)) {
    const signs = [...run];
    if (!cjk && !STOP_WORDS.has(run)) found.push(signs.slice(0, MAX_TOKEN).join(""));
    else if (cjk && signs.length === 1) found.push(run);
    else if (cjk) for (let at = 0; at + 1 < signs.length; at += 1) found.push(signs[at] + signs[at + 1]);
  }
  return found;
}

/** The rows whose score is above the least, best first; equal ones in the order of their ids. @param {number[]} scores @param {number} [least] */
function best(scores, least = 0) {
  return [...scores.keys()].filter((row) => scores[row] > least).sort((a, b) => scores[b] - scores[a] || a - b);
}

/** A published index: `manifest`, and `records` in the order of their ids; vectors are read when they are first needed. */
export class TinyIndex {
  /** @param {ReadFile} readFile @param {Uint8Array} data the manifest's bytes @param {Values} manifest @param {Part[]} parts @param {Values[]} records */
  constructor(readFile, data, manifest, parts, records) {
    this.readFile = readFile;
    this.data = data;
    this.manifest = manifest;
    this.parts = parts;
    /** @type {number} */
    this.lift = manifest.constant_part ?? 0;
    this.order = [...records.keys()].sort((a, b) => codePointOrder(records[a].id, records[b].id));
    this.records = this.order.map((row) => records[row]);
    /** @type {Promise<Float32Array> | undefined} */
    this.rows = undefined;
    /** @type {Map<string, Map<number, number>>} */
    this.postings = new Map();
    /** @type {number[]} */
    this.lengths = [];
  }

  /** The vector of each record as it is published, read and checked now at the latest. @returns {Promise<Float32Array[]>} */
  async vectors() {
    const [rows, dim] = [await this.loadRows(), this.manifest.dim];
    return this.order.map((row) => rows.subarray(row * dim, (row + 1) * dim));
  }

  /**
   * The best k records; `mode` is auto, hybrid, semantic or keyword, `vector` is the query's, made by `model`.
   *
   * A model is compared with the manifest's model_id and space. If meaning cannot be searched, words answer and the
   * answer has the reason; `semantic` alone throws IndexRefused.
   * @param {string} query @param {Question} [question] @returns {Promise<Answer>}
   */
  async search(query, { k = 10, vector = null, model = "", mode = "auto" } = {}) {
    if (!(k >= 1) || !["auto", "hybrid", "semantic", "keyword"].includes(mode)) {
      throw new RangeError("k is 1 or more, and mode is auto, hybrid, semantic or keyword");
    }
    let reason = "";
    /** @type {number[] | undefined} */
    let cosines;
    try {
      if (mode !== "keyword") cosines = await this.cosines(vector, model);
    } catch (error) {
      if (mode === "semantic" || !(error instanceof IndexRefused)) throw error;
      reason = error.message;
    }
    if (!cosines) return this.answer("keyword", reason, this.bm25(query), k);
    if (mode === "semantic") return this.answer(mode, "", cosines, k, -Infinity);
    const scores = cosines.map(() => 0);
    for (const leg of [this.bm25(query), cosines]) {
      for (const [place, row] of best(leg).entries()) scores[row] += 1 / (RRF_K + place + 1);
    }
    return this.answer("hybrid", "", scores, k);
  }

  /** @param {string} mode @param {string} reason @param {number[]} scores @param {number} k @param {number} [least] @returns {Answer} */
  answer(mode, reason, scores, k, least = 0) {
    const rows = best(scores, least).slice(0, k);
    return { mode, reason, hits: rows.map((row) => ({ record: this.records[row], score: scores[row] })) };
  }

  /** @param {string} query */
  bm25(query) {
    if (!this.lengths.length) for (const row of this.records.keys()) this.addWords(row);
    const [count, total] = [this.records.length, this.lengths.reduce((sum, length) => sum + length, 0)];
    const scores = this.lengths.map(() => 0);
    for (const token of new Set(tinyTokens([...query].slice(0, MAX_QUERY).join("")))) {
      const found = this.postings.get(token) ?? new Map();
      const idf = Math.log(1 + (count - found.size + 0.5) / (found.size + 0.5));
      for (const [row, times] of found) {
        scores[row] += (idf * times * (K1 + 1)) / (times + K1 * (1 - B + (B * this.lengths[row] * count) / total));
      }
    }
    return scores.map((score) => Math.round(score * UNITS) / UNITS);
  }

  /** @param {number} row */
  addWords(row) {
    const { name, description, keywords = [] } = this.records[row];
    const tokens = tinyTokens([name, description, ...keywords].join("\n"));
    this.lengths.push(tokens.length);
    for (const token of tokens) {
      const found = this.postings.get(token) ?? new Map();
      found.set(row, (found.get(row) ?? 0) + 1);
      this.postings.set(token, found);
    }
  }

  /** @param {ArrayLike<number> | null} vector @param {string} model @returns {Promise<number[]>} */
  async cosines(vector, model) {
    const { dim, model_id: name, space, normalize } = this.manifest;
    need(vector, "search by meaning", "the question has no vector", "mismatch");
    need(
      ["", name, space].includes(model),
      "search by meaning",
      `the index is of ${name}, the vector of ${model}`,
      "mismatch",
    );
    const given = Array.from(vector ?? []);
    if (this.lift && given.length === dim && Math.abs(given[dim - 1] - Math.sqrt(this.lift)) <= LIFT_TOLERANCE)
      given.pop();
    const [norm, length] = [Math.hypot(...given), this.lift ? dim - 1 : dim];
    const isRight = given.length === length && norm > 0 && norm < Infinity;
    need(isRight, "search by meaning", `the vector is not ${length} finite numbers, or all are 0`, "mismatch");
    const scale = (normalize && Math.abs(norm - 1) > NORM_TOLERANCE ? norm : 1) * Math.sqrt(1 - this.lift);
    const rows = await this.loadRows();
    return this.order.map((row) => {
      let product = 0;
      for (let at = 0; at < length; at += 1) product += rows[row * dim + at] * (given[at] / scale);
      return Math.round(product * UNITS) / UNITS;
    });
  }

  loadRows() {
    this.rows ??= this.readRows();
    this.rows.catch(() => {
      this.rows = undefined;
    });
    return this.rows;
  }

  /** All vectors, part after part, checked. */
  async readRows() {
    const dim = this.manifest.dim;
    const rows = new Float32Array(this.records.length * dim);
    let start = 0;
    for (const { vectors } of this.parts) {
      const data = await readChecked(this.readFile, vectors, MAX_VECTORS);
      const count = data.length / 4;
      need(
        count % dim === 0 && start + count <= rows.length,
        vectors.file,
        "has not as many rows as there are records",
      );
      const view = new DataView(data.buffer, data.byteOffset, data.length);
      for (let at = 0; at < count; at += 1) rows[start + at] = view.getFloat32(at * 4, true);
      for (let at = 0; at < count; at += dim) {
        const isRight = this.isRightRow(rows.subarray(start + at, start + at + dim));
        need(isRight, vectors.file, `row ${at / dim} (counted from 0) is not right`);
      }
      start += count;
    }
    need(start === rows.length, "the vectors", "have not as many rows as there are records");
    const again = await this.readFile(MANIFEST, MAX_MANIFEST);
    const isSame = again.length === this.data.length && again.every((byte, at) => byte === this.data[at]);
    need(isSame, "the index", "has changed since it was opened; open it again", "changed");
    return rows;
  }

  /** @param {Float32Array} row */
  isRightRow(row) {
    let square = 0;
    const length = this.lift ? row.length - 1 : row.length;
    for (let at = 0; at < length; at += 1) square += row[at] * row[at];
    const norm = Math.sqrt(square / (1 - this.lift));
    const isLifted = !this.lift || Math.abs(row[length] - Math.sqrt(this.lift)) <= LIFT_TOLERANCE;
    return isLifted && (this.manifest.normalize ? Math.abs(norm - 1) <= NORM_TOLERANCE : Number.isFinite(norm));
  }
}

/** The index in a folder (Node), or at an address that ends in a slash. @param {string} place @param {ReadFile} [readFile] @returns {Promise<TinyIndex>} */
export async function openIndex(place, readFile = /^https?:/i.test(place) ? readAddress(place) : readFolder(place)) {
  const data = await readFile(MANIFEST, MAX_MANIFEST);
  const { values, parts } = parseManifest(data);
  /** @type {Values[]} */
  const records = [];
  for (const part of parts) {
    for (const record of parseRecords(await readChecked(readFile, part.skills, MAX_SKILLS), part)) records.push(record);
  }
  return new TinyIndex(readFile, data, values, parts, records);
}

/** @param {ReadFile} readFile @param {FileFacts} facts @param {number} maxBytes */
async function readChecked(readFile, facts, maxBytes) {
  const data = await readFile(facts.file, maxBytes, facts.bytes);
  const isRight = facts.sha256 === undefined || facts.sha256 === (await sha256Hex(data));
  need(isRight, facts.file, "its bytes are not those that the manifest names");
  return data;
}

/** Files of a folder on the disk; links are not followed. @param {string} folder @returns {ReadFile} */
export function readFolder(folder) {
  return async (name, maxBytes, bytes) => {
    const module = "node:fs/promises"; // in a variable: bundlers for browsers leave it alone
    const { constants, lstat, open } = await import(module);
    const path = `${folder.replace(/\/+$/, "")}/${name}`;
    let file;
    try {
      need(!(await lstat(path.slice(0, -name.length - 1) || "/")).isSymbolicLink(), name, "its folder is a link");
      need(!(await lstat(path)).isSymbolicLink(), name, "is a link");
      file = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
      const found = await file.stat();
      const isRight = found.isFile() && found.size <= maxBytes && (bytes === undefined || bytes === found.size);
      need(isRight, name, "is not a regular file of the size that the manifest names");
      const data = await file.readFile();
      need(data.length === found.size, name, "changed its size while it was read");
      return new Uint8Array(data.buffer, data.byteOffset, data.length);
    } catch (error) {
      if (error instanceof IndexRefused) throw error;
      const isMissing = name === MANIFEST && /** @type {any} */ (error).code === "ENOENT";
      throw new IndexRefused(isMissing ? "missing" : "corrupt", `${name}: cannot be opened as a regular file`);
    } finally {
      await file?.close();
    }
  };
}

/** Files below an address. @param {string} base @param {typeof fetch} [fetchFile] @returns {ReadFile} */
export function readAddress(base, fetchFile = (...wanted) => fetch(...wanted)) {
  return async (name, maxBytes, bytes = maxBytes) => {
    const response = await fetchFile(new URL(name, base.endsWith("/") ? base : `${base}/`).href).catch(() => undefined);
    need(
      response?.ok,
      name,
      "cannot be fetched",
      name === MANIFEST && response?.status === 404 ? "missing" : "corrupt",
    );
    /** @type {Uint8Array[]} */
    const pieces = [];
    let size = 0;
    const reader = /** @type {Response} */ (response).body?.getReader();
    for (let piece = await reader?.read(); piece && !piece.done; piece = await reader?.read()) {
      size += piece.value.length;
      if (size > bytes) await reader?.cancel();
      need(size <= bytes, name, "is larger than the manifest says, or than it may be");
      pieces.push(piece.value);
    }
    need(bytes === maxBytes || bytes === size, name, "is smaller than the manifest says");
    return new Uint8Array(await new Blob(/** @type {BlobPart[]} */ (pieces)).arrayBuffer());
  };
}

/** The digest in lower-case hex. @param {Uint8Array} data @returns {Promise<string>} */
async function sha256Hex(data) {
  const subtle = globalThis.crypto?.subtle; // absent over plain http from another machine
  const digest = subtle
    ? new Uint8Array(await subtle.digest("SHA-256", /** @type {BufferSource} */ (data)))
    : plainSha256(data);
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

const PRIMES = [2];
for (let number = 3; PRIMES.length < 64; number += 2) if (PRIMES.every((prime) => number % prime)) PRIMES.push(number);
const ROUNDS = PRIMES.map((prime) => rootBits(prime, 3));

/** The first 32 bits behind the point of a root, exactly. @param {number} number @param {number} degree */
function rootBits(number, degree) {
  const target = BigInt(number) << BigInt(32 * degree);
  let low = 0n;
  for (let bit = 1n << 40n; bit > 0n; bit >>= 1n) if ((low + bit) ** BigInt(degree) <= target) low += bit;
  return Number(low & 0xffffffffn);
}

/** SHA-256 in plain JavaScript. @param {Uint8Array} data @returns {Uint8Array} */
export function plainSha256(data) {
  const padded = new DataView(new ArrayBuffer(Math.ceil((data.length + 9) / 64) * 64));
  new Uint8Array(padded.buffer).set(data);
  padded.setUint8(data.length, 0x80);
  padded.setUint32(padded.byteLength - 8, Math.floor(data.length / 2 ** 29));
  padded.setUint32(padded.byteLength - 4, (data.length << 3) >>> 0);
  const state = Uint32Array.from(PRIMES.slice(0, 8), (prime) => rootBits(prime, 2));
  const words = new Uint32Array(64);
  /** @param {number} word @param {number} by */
  const turn = (word, by) => (word >>> by) | (word << (32 - by));
  for (let block = 0; block < padded.byteLength; block += 64) {
    for (let t = 0; t < 64; t += 1) {
      const [near, far] = [words[t - 2], words[t - 15]];
      words[t] =
        t < 16
          ? padded.getUint32(block + t * 4)
          : words[t - 16] +
            words[t - 7] +
            (turn(far, 7) ^ turn(far, 18) ^ (far >>> 3)) +
            (turn(near, 17) ^ turn(near, 19) ^ (near >>> 10));
    }
    let [a, b, c, d, e, f, g, h] = state;
    for (let t = 0; t < 64; t += 1) {
      const first = h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + ROUNDS[t] + words[t];
      const second = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
      [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) >>> 0, c, b, a, (first + second) >>> 0];
    }
    for (const [at, word] of [a, b, c, d, e, f, g, h].entries()) state[at] += word;
  }
  const digest = new DataView(new ArrayBuffer(32));
  for (const [at, word] of state.entries()) digest.setUint32(at * 4, word);
  return new Uint8Array(digest.buffer);
}

/** @type {any} */
const { process } = /** @type {any} */ (globalThis);
if (process?.argv?.[1] && import.meta.url === new URL(`file://${process.argv[1]}`).href) {
  const [folder, question] = process.argv.slice(2);
  const usage = "usage: node reader.mjs FOLDER QUESTION";
  try {
    if (question === undefined) throw new IndexRefused("mismatch", usage);
    const { hits } = await (await openIndex(folder)).search(question, { mode: "keyword" });
    const lines = hits.map(
      ({ record, score }) => `${score.toFixed(6)}  ${record.id}  ${record.description.replace(/\s+/g, " ")}\n`,
    );
    process.stdout.write(lines.join(""));
  } catch (error) {
    if (!(error instanceof IndexRefused)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}
