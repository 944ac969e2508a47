// @ts-check
/**
 * One data file → its named sections, as hub_index/page/data/data_file.py writes them: four bytes with the header's length, a
 * JSON header, then the sections' numbers. A matrix of at most 256 different values comes as bytes and a look-up table.
 */

/** @typedef {{kind: "B" | "I" | "f" | "l", at: number, count: number, values?: number}} Span */

/** @param {ArrayBuffer} content @returns {Map<string, Uint8Array | Uint32Array | Float32Array>} */
export function decodeSections(content) {
  const size = new DataView(content).getUint32(0, true);
  /** @type {Record<string, Span>} */
  const spans = JSON.parse(new TextDecoder().decode(new Uint8Array(content, 4, size)));
  const start = 4 + size;
  return new Map(Object.entries(spans).map(([name, span]) => [name, decodeSpan(content, start, span)]));
}

/** @param {ArrayBuffer} content @param {number} start @param {Span} span */
function decodeSpan(content, start, { kind, at, count, values = 0 }) {
  const first = start + at;
  if (kind === "B") return new Uint8Array(content, first, count);
  if (kind === "I") return new Uint32Array(content.slice(first, first + 4 * count));
  if (kind === "f") return new Float32Array(content.slice(first, first + 4 * count));
  const table = new Float32Array(content.slice(first, first + 4 * values));
  return Float32Array.from(new Uint8Array(content, first + 4 * values, count), (index) => table[index]);
}
