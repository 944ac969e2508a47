// @ts-check
/** The page's dictionary: the files of the characters that a query's words begin with (hub_index/page/data/page_data.py). */

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

/**
 * What glosses that begin with these tokens mean in Chinese; null where no skill is described in CJK, or hardly one.
 * @param {import("./data_files.js").DataFiles} files @param {string[]} tokens
 * @returns {Promise<((gloss: string) => string[]) | null>}
 */
export async function openEnglish(files, tokens) {
  const fileOf = (/** @type {string} */ word) => `english/${/^[a-z0-9]/.test(word) ? word[0] : "_"}.bin`;
  const names = [...new Set(tokens.map(fileOf))].filter((name) => Object.hasOwn(files.listed, name));
  if (!names.length) return null;
  const read = await Promise.all(names.map(async (name) => [name, await files.readJson(name)]));
  const found = new Map(/** @type {[string, Record<string, string[]>][]} */ (read));
  return (gloss) => {
    const held = found.get(fileOf(gloss)) ?? {};
    return Object.hasOwn(held, gloss) ? held[gloss] : [];
  };
}
