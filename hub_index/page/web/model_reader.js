// @ts-check
/** The embedded model in the browser: its small part is loaded once, the table's rows come by Range or by shards. */

import { encodeIds } from "./pieces.js";
import { decodeSections } from "./sections.js";
import { TableRows } from "./table_rows.js";
import { DIM, embedIds } from "./usem3.js";

/** @typedef {import("./data_files.js").DataFiles} DataFiles */

export const MODEL_FILES = ["model/model.bin", "model/blocks.bin", "model/small_talk.bin"]; // its small part
const KEPT_VECTORS = 64; // the last texts: a letter that is typed and deleted again costs nothing

/** Embeds texts. */
export class ModelReader {
  /** @param {Map<string, any>} weights @param {import("./pieces.js").Vocabulary} vocabulary @param {TableRows} table @param {Int8Array} smallTalk a row for each piece of it */
  constructor(weights, vocabulary, table, smallTalk) {
    this.weights = weights;
    this.vocabulary = vocabulary;
    this.table = table;
    this.smallTalk = smallTalk;
    /** @type {Map<string, Float32Array>} */
    this.kept = new Map();
  }

  /** The unit vector of a text. @param {string} text */
  async embed(text) {
    const known = this.kept.get(text);
    if (known) return known;
    const ids = encodeIds(this.vocabulary, text);
    const vector = embedIds(this.weights, ids, await this.table.fetch(ids));
    if (this.kept.size >= KEPT_VECTORS) this.kept.delete(/** @type {string} */ (this.kept.keys().next().value));
    this.kept.set(text, vector);
    return vector;
  }

  /** The cosine of a unit vector with the nearest piece of small talk. @param {Float32Array} vector */
  nearSmallTalk(vector) {
    let nearest = -1;
    for (let start = 0; start < this.smallTalk.length; start += DIM) {
      let [product, square] = [0, 0];
      for (let at = 0; at < DIM; at += 1) {
        const number = this.smallTalk[start + at];
        product += number * vector[at];
        square += number * number;
      }
      nearest = Math.max(nearest, product / Math.sqrt(square));
    }
    return nearest;
  }
}

/** The model with its small part loaded. @param {DataFiles} files @param {import("./table_rows.js").Sizes} sizes */
export async function openModel(files, sizes) {
  const [model, blocks, talk] = await Promise.all(
    MODEL_FILES.map(async (name) => decodeSections(await files.read(name))),
  );
  const digests = /** @type {Uint8Array} */ (blocks.get("digests"));
  const said = /** @type {Uint8Array} */ (talk.get("rows"));
  const smallTalk = new Int8Array(said.buffer, said.byteOffset, said.length);
  return new ModelReader(model, readVocabulary(model), new TableRows(files, sizes, digests, DIM), smallTalk);
}

/** @param {Map<string, Uint8Array | Uint32Array | Float32Array>} sections @returns {import("./pieces.js").Vocabulary} */
function readVocabulary(sections) {
  const [starts, pool] = [
    /** @type {Uint32Array} */ (sections.get("pieces.starts")),
    /** @type {Uint8Array} */ (sections.get("pieces.pool")),
  ];
  const normal = /** @type {Uint8Array} */ (sections.get("pieces.normal"));
  const numbers = /** @type {Float32Array} */ (sections.get("pieces.numbers"));
  const decoder = new TextDecoder();
  const ids = new Map();
  for (let id = 0; id < normal.length; id += 1) {
    if (normal[id]) ids.set(decoder.decode(pool.subarray(starts[id], starts[id + 1])), id);
  }
  return {
    ids,
    scores: /** @type {Float32Array} */ (sections.get("pieces.scores")),
    trie: /** @type {Uint32Array} */ (sections.get("pieces.trie")),
    replacements: /** @type {Uint8Array} */ (sections.get("pieces.replacements")),
    lowest: numbers[0],
    longest: numbers[1],
  };
}
