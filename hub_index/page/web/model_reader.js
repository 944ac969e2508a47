// @ts-check
/** The embedded model in the browser: its small part is loaded once, the table's rows come by Range or by shards. */

import { encodeIds } from "./pieces.js";
import { decodeSections } from "./sections.js";
import { DIM, embedIds } from "./usem3.js";

/** @typedef {import("./data_files.js").DataFiles} DataFiles */

/** Embeds texts. */
export class ModelReader {
  /** @param {DataFiles} files @param {number} shardRows */
  constructor(files, shardRows) {
    this.files = files;
    this.shardRows = shardRows;
    /** @type {Map<number, Uint8Array>} */
    this.rows = new Map();
  }

  async open() {
    const sections = decodeSections(await this.files.read("model/model.bin"));
    this.weights = /** @type {Map<string, Float32Array>} */ (sections);
    this.vocabulary = readVocabulary(sections);
  }

  /** The unit vector of a text. @param {string} text */
  async embed(text) {
    if (!this.vocabulary || !this.weights) throw new Error("the model is not open");
    const ids = encodeIds(this.vocabulary, text);
    await this.fetchRows(ids);
    return embedIds(this.weights, ids, this.rows);
  }

  /** @param {number[]} ids */
  async fetchRows(ids) {
    const missing = new Set(ids.filter((id) => !this.rows.has(id)).map((id) => Math.floor(id / this.shardRows)));
    await Promise.all([...missing].map((shard) => this.fetchShard(shard, ids)));
  }

  /** @param {number} shard @param {number[]} ids */
  async fetchShard(shard, ids) {
    const content = new Uint8Array(await this.files.read(`model/rows/${String(shard).padStart(3, "0")}.bin`));
    for (const id of ids) {
      const at = id - shard * this.shardRows;
      if (at >= 0 && at < this.shardRows) this.rows.set(id, content.slice(at * DIM, (at + 1) * DIM));
    }
  }
}

/** @param {Map<string, Uint8Array | Uint32Array | Float32Array>} sections @returns {import("./pieces.js").Vocabulary} */
function readVocabulary(sections) {
  const [starts, pool] = [/** @type {Uint32Array} */ (sections.get("pieces.starts")), /** @type {Uint8Array} */ (sections.get("pieces.pool"))];
  const normal = /** @type {Uint8Array} */ (sections.get("pieces.normal"));
  const numbers = /** @type {Float32Array} */ (sections.get("pieces.numbers"));
  const decoder = new TextDecoder();
  const ids = new Map();
  normal.forEach((isNormal, id) => isNormal && ids.set(decoder.decode(pool.subarray(starts[id], starts[id + 1])), id));
  return {
    ids,
    scores: /** @type {Float32Array} */ (sections.get("pieces.scores")),
    trie: /** @type {Uint32Array} */ (sections.get("pieces.trie")),
    replacements: /** @type {Uint8Array} */ (sections.get("pieces.replacements")),
    lowest: numbers[0],
    longest: numbers[1],
  };
}
