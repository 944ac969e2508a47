// @ts-check
/** Cosines of a query with all rows: one byte a number, as hub_index/page/data/browser_vectors.py packs them. */

/** The rows of all skills, ready to be compared. */
export class VectorScan {
  /**
   * @param {Map<string, Uint8Array | Uint32Array | Float32Array>} sections of vectors.bin
   * @param {Float32Array | undefined} basis of the rows, where they are not the model's own numbers
   */
  constructor(sections, basis) {
    const bytes = /** @type {Uint8Array} */ (sections.get("rows"));
    this.rows = new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length);
    this.scales = /** @type {Float32Array} */ (sections.get("scales"));
    this.basis = basis;
    this.count = this.scales.length;
    this.size = this.count ? this.rows.length / this.count : 0;
  }

  /** The query's vector in the numbers of the rows. @param {Float32Array} vector */
  prepare(vector) {
    if (!this.basis) return vector;
    const out = new Float32Array(this.size);
    for (let at = 0; at < vector.length; at += 1) {
      for (let to = 0; to < this.size; to += 1) out[to] += vector[at] * this.basis[at * this.size + to];
    }
    return out;
  }

  /** The cosine of every row; of a long prompt a share of it is the nearest sentence's. @param {Float32Array[]} vectors of the query and of its sentences, as the model gave them @param {number} share */
  cosines([whole, ...sentences], share) {
    const out = this.products(whole);
    if (!sentences.length) return out;
    const nearest = new Float32Array(this.count).fill(-1);
    for (const sentence of sentences) {
      const products = this.products(sentence);
      for (let row = 0; row < this.count; row += 1) nearest[row] = Math.max(nearest[row], products[row]);
    }
    return out.map((cosine, row) => cosine * (1 - share) + nearest[row] * share);
  }

  /** @param {Float32Array} vector */
  products(vector) {
    const query = this.prepare(vector);
    const out = new Float32Array(this.count);
    for (let row = 0; row < this.count; row += 1) out[row] = this.dot(query, row);
    return out;
  }

  /** The cosine of every row with one of them: skills that are like it. @param {number} row */
  likeRow(row) {
    const query = Float32Array.from(this.rows.subarray(row * this.size, (row + 1) * this.size));
    const out = new Float32Array(this.count);
    for (let other = 0; other < this.count; other += 1) out[other] = this.dot(query, other) * this.scales[row];
    return out;
  }

  /** @param {Float32Array} query @param {number} row */
  dot(query, row) {
    const start = row * this.size;
    let sum = 0;
    for (let at = 0; at < this.size; at += 1) sum += query[at] * this.rows[start + at];
    return sum * this.scales[row];
  }
}
