// @ts-check
/**
 * Rows of the model's table, which is never loaded whole: the blocks that hold them by Range, or the whole shard from a
 * server that has no Range. A block is checked against its own digest, a shard against that of page.json.
 */

import { DataError } from "./data_files.js";
import { sha256Hex } from "./sha256.js";

/** @typedef {import("./data_files.js").DataFiles} DataFiles */
/** @typedef {{table: number, block: number, blockDigest: number}} Sizes rows of a shard and of a block, bytes of a digest */

const PARTIAL = 206;

/** Fetches rows and keeps them. */
export class TableRows {
  /** @param {DataFiles} files @param {Sizes} sizes @param {Uint8Array} digests of the blocks @param {number} width bytes of a row */
  constructor(files, sizes, digests, width) {
    this.files = files;
    this.sizes = sizes;
    this.digests = digests;
    this.width = width;
    /** @type {boolean | undefined} */
    this.hasRange = undefined; // until a server has answered
    /** @type {Map<number, Uint8Array>} */
    this.rows = new Map();
    /** @type {Map<string, Promise<void>>} */
    this.loading = new Map();
  }

  /** These rows, by number. @param {number[]} numbers @returns {Promise<Map<number, Uint8Array>>} */
  async fetch(numbers) {
    const first = numbers.find((number) => !this.rows.has(number));
    if (first !== undefined && this.hasRange === undefined) await this.once("first", () => this.loadRow(first));
    const missing = numbers.filter((number) => !this.rows.has(number));
    await Promise.all(missing.map((number) => this.loadRow(number)));
    return this.rows;
  }

  /** @param {number} number */
  loadRow(number) {
    const [shard, block] = [Math.floor(number / this.sizes.table), Math.floor(number / this.sizes.block)];
    if (this.hasRange === false) return this.once(`shard ${shard}`, () => this.loadShard(shard));
    return this.once(`block ${block}`, () => this.loadBlock(block, shard));
  }

  /** Whoever asks while a part is on its way waits for the same. @param {string} what @param {() => Promise<void>} load */
  once(what, load) {
    const known = this.loading.get(what);
    if (known) return known;
    const started = load().finally(() => this.loading.delete(what));
    this.loading.set(what, started);
    return started;
  }

  /** @param {number} at @param {number} shard */
  async loadBlock(at, shard) {
    const name = shardName(shard);
    const start = (at * this.sizes.block - shard * this.sizes.table) * this.width;
    const end = Math.min(start + this.sizes.block * this.width, this.files.listed[name]?.bytes ?? 0);
    const response = await this.files.request(name, { Range: `bytes=${start}-${end - 1}` });
    const content = await response.arrayBuffer();
    this.hasRange = response.status === PARTIAL;
    if (!this.hasRange) {
      this.keep(shard * this.sizes.table, await this.files.check(name, content));
      return;
    }
    if (content.byteLength !== end - start || !(await this.isBlock(at, content))) throw new DataError("damaged", name);
    this.keep(at * this.sizes.block, content);
  }

  /** @param {number} shard */
  async loadShard(shard) {
    const name = shardName(shard);
    const response = await this.files.request(name);
    this.keep(shard * this.sizes.table, await this.files.check(name, await response.arrayBuffer()));
  }

  /** @param {number} at @param {ArrayBuffer} content */
  async isBlock(at, content) {
    const { blockDigest } = this.sizes;
    const wanted = this.digests.subarray(at * blockDigest, (at + 1) * blockDigest);
    const hex = Array.from(wanted, (byte) => byte.toString(16).padStart(2, "0")).join("");
    return hex.length === 2 * blockDigest && (await sha256Hex(content)).startsWith(hex);
  }

  /** @param {number} first @param {ArrayBuffer} content */
  keep(first, content) {
    for (let at = 0; at * this.width < content.byteLength; at += 1) {
      this.rows.set(first + at, new Uint8Array(content, at * this.width, this.width));
    }
  }
}

/** @param {number} shard */
function shardName(shard) {
  return `model/rows/${String(shard).padStart(3, "0")}.bin`;
}
