// @ts-check
/**
 * The page's data files: fetched when first needed, checked against the digests in data/page.json before they are
 * unpacked, and kept. Nothing that a server answers otherwise is believed.
 */

import { sha256Hex } from "./sha256.js";

const KEPT_FILES = 400; // shards of words and records: some 30 MB at the most
const MAX_UNPACKED_BYTES = 64 * 1024 * 1024;

/** A data file that cannot be used: what a visitor is told. */
export class DataError extends Error {
  /** @param {"missing" | "damaged" | "offline"} kind @param {string} file */
  constructor(kind, file) {
    super(`data/${file} is ${kind}`);
    this.kind = kind;
    this.file = `data/${file}`;
  }
}

/** @typedef {{sha256: string, bytes: number}} FileFacts */
/** @typedef {{name: string, range: string}} Loaded a file, or the part of it that was asked for */

/** Reads the files that page.json lists. */
export class DataFiles {
  /**
   * @param {string} base address of the data folder, with a slash at its end
   * @param {Record<string, FileFacts>} listed by name
   * @param {typeof fetch} [fetchFile]
   */
  constructor(base, listed, fetchFile = (...wanted) => fetch(...wanted)) {
    this.base = base;
    this.listed = listed;
    this.fetchFile = fetchFile;
    /** @type {Map<string, Promise<ArrayBuffer>>} */
    this.kept = new Map();
    /** @type {Set<string>} */
    this.failed = new Set(); // not asked for again until `retry`
    /** @type {WeakMap<ArrayBuffer, any>} */
    this.decoded = new WeakMap();
    /** @type {Loaded[]} */
    this.loaded = []; // what a service worker that comes later has to keep
  }

  /** A file's content, unpacked. @param {string} name @returns {Promise<ArrayBuffer>} */
  read(name) {
    let content = this.kept.get(name);
    if (content === undefined) {
      content = this.load(name);
      content.catch(() => this.failed.add(name));
    }
    this.kept.delete(name); // what was used last is dropped last
    this.kept.set(name, content);
    if (this.kept.size > KEPT_FILES) this.kept.delete(/** @type {string} */ (this.kept.keys().next().value));
    return content;
  }

  /** What could not be read is asked for again: the next try may succeed. */
  retry() {
    for (const name of this.failed) this.kept.delete(name);
    this.failed.clear();
  }

  /** A file's value, worked out once for as long as the file is kept. @template T @param {string} name @param {(content: ArrayBuffer) => T} decode @returns {Promise<T>} */
  async decode(name, decode) {
    const content = await this.read(name);
    if (!this.decoded.has(content)) this.decoded.set(content, decode(content));
    return this.decoded.get(content);
  }

  /** @param {string} name */
  readJson(name) {
    return this.decode(name, parseJson);
  }

  /** @param {string} name */
  async load(name) {
    return unpack(await this.readStored(name), name);
  }

  /** A file as it is stored; past every cache where the first answer is another than page.json lists. @param {string} name */
  async readStored(name) {
    try {
      return await this.check(name, await (await this.request(name)).arrayBuffer());
    } catch (error) {
      if (!(error instanceof DataError) || error.kind !== "damaged") throw error;
      return this.check(name, await (await this.request(name, {}, "reload")).arrayBuffer());
    }
  }

  /** A whole file's bytes, as they are stored, if they are what page.json lists. @param {string} name @param {ArrayBuffer} content */
  async check(name, content) {
    const { bytes, sha256 } = this.listed[name];
    if (content.byteLength !== bytes || (await sha256Hex(content)) !== sha256) throw new DataError("damaged", name);
    return content;
  }

  /** The server's answer, a good one. @param {string} name @param {Record<string, string>} [headers] @param {RequestCache} [cache] */
  async request(name, headers = {}, cache = "default") {
    if (!Object.hasOwn(this.listed, name)) throw new DataError("missing", name);
    this.loaded.push({ name, range: headers.Range ?? "" });
    let response;
    try {
      response = await this.fetchFile(this.base + name, { headers, cache });
    } catch {
      throw new DataError("offline", name);
    }
    if (!response.ok) throw new DataError(response.status === 504 ? "offline" : "missing", name);
    return response;
  }
}

/** @param {ArrayBuffer} content */
function parseJson(content) {
  return JSON.parse(new TextDecoder().decode(content));
}

/** @param {ArrayBuffer} content gzip @param {string} name */
async function unpack(content, name) {
  const stream = new Blob([content]).stream().pipeThrough(new DecompressionStream("gzip"));
  /** @type {Uint8Array[]} */
  const parts = [];
  let size = 0;
  try {
    for (const reader = stream.getReader(); ; ) {
      const { done, value } = await reader.read();
      if (done) break;
      size += value.length;
      if (size > MAX_UNPACKED_BYTES) throw new DataError("damaged", name);
      parts.push(value);
    }
  } catch {
    throw new DataError("damaged", name);
  }
  const whole = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole.buffer;
}
