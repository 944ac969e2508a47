// @ts-check
/** SHA-256 of a data file, before anything in it is believed; in plain JavaScript where the browser has no SubtleCrypto. */

const ROUNDS = 64;
const { constants: K, start: START } = makeConstants();

/** The digest in lower-case hex. @param {ArrayBuffer} content */
export async function sha256Hex(content) {
  const subtle = globalThis.crypto?.subtle; // absent over plain http from another machine
  const digest = subtle
    ? new Uint8Array(await subtle.digest("SHA-256", content))
    : plainSha256(new Uint8Array(content));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** @param {Uint8Array} content */
export function plainSha256(content) {
  const blocks = Math.ceil((content.length + 9) / 64);
  const padded = new Uint8Array(blocks * 64);
  padded.set(content);
  padded[content.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor(content.length / 2 ** 29));
  view.setUint32(padded.length - 4, (content.length << 3) >>> 0);
  const state = Uint32Array.from(START);
  const words = new Uint32Array(ROUNDS);
  for (let block = 0; block < blocks; block += 1) addBlock(state, words, view, block * 64);
  const out = new DataView(new ArrayBuffer(32));
  for (const [at, word] of state.entries()) out.setUint32(at * 4, word);
  return new Uint8Array(out.buffer);
}

/** @param {Uint32Array} state @param {Uint32Array} words @param {DataView} view @param {number} at */
function addBlock(state, words, view, at) {
  for (let t = 0; t < 16; t += 1) words[t] = view.getUint32(at + t * 4);
  for (let t = 16; t < ROUNDS; t += 1) {
    const [near, far] = [words[t - 2], words[t - 15]];
    const s0 = turn(far, 7) ^ turn(far, 18) ^ (far >>> 3);
    const s1 = turn(near, 17) ^ turn(near, 19) ^ (near >>> 10);
    words[t] = words[t - 16] + s0 + words[t - 7] + s1;
  }
  let [a, b, c, d, e, f, g, h] = state;
  for (let t = 0; t < ROUNDS; t += 1) {
    const first = h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + K[t] + words[t];
    const second = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) >>> 0, c, b, a, (first + second) >>> 0];
  }
  [a, b, c, d, e, f, g, h].forEach((word, index) => {
    state[index] += word;
  });
}

/** @param {number} word @param {number} by */
function turn(word, by) {
  return (word >>> by) | (word << (32 - by));
}

/** Fractions of the roots of the first primes, as the standard defines them. */
function makeConstants() {
  /** @type {number[]} */
  const primes = [];
  for (let number = 2; primes.length < ROUNDS; number += 1) {
    if (primes.every((prime) => number % prime !== 0)) primes.push(number);
  }
  return {
    constants: primes.map((prime) => rootBits(prime, 3)),
    start: primes.slice(0, 8).map((prime) => rootBits(prime, 2)),
  };
}

/** The first 32 bits behind the point of a root, exactly. @param {number} number @param {number} degree */
function rootBits(number, degree) {
  const target = BigInt(number) << BigInt(32 * degree);
  let low = 0n;
  let high = 1n << 40n;
  while (high - low > 1n) {
    const middle = (low + high) / 2n;
    if (middle ** BigInt(degree) <= target) low = middle;
    else high = middle;
  }
  return Number(low & 0xffffffffn);
}
