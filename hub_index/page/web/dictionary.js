// @ts-check
/** The page's dictionary: the shards of the characters that a query holds (hub_index/page/dictionary.py). */

/** @param {import("./data_files.js").DataFiles} files @param {number} shards @param {string} text @returns {Promise<import("./translation.js").Dictionary | null>} */
export async function openDictionary(files, shards, text) {
  if (!Object.hasOwn(files.listed, "han/fold.bin")) return null;
  const [old, folded] = await files.readJson("han/fold.bin");
  const [from, to] = [[...old], [...folded]];
  const changes = new Map(from.map((character, at) => [character, to[at]]));
  const fold = (/** @type {string} */ written) =>
    [...written].map((character) => changes.get(character) ?? character).join("");
  const numbers = new Set(
    (fold(text).match(/[\u3400-\u9fff]/g) ?? []).map((character) => character.charCodeAt(0) % shards),
  );
  const read = await Promise.all(
    [...numbers].map(async (number) => [number, await files.readJson(`han/${String(number).padStart(4, "0")}.bin`)]),
  );
  const words = new Map(/** @type {[number, Record<string, string[]>][]} */ (read));
  const shardOf = (/** @type {string} */ word) => words.get(word.charCodeAt(0) % shards) ?? {};
  return {
    fold,
    has: (word) => Object.hasOwn(shardOf(word), word),
    glossesOf: (word) =>
      Object.hasOwn(shardOf(word), word) ? shardOf(word)[word].map((gloss) => gloss.split(" ")) : [],
  };
}
