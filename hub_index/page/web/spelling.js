// @ts-check
/** Typos: the hub's own word that an unknown word was meant to be, as in hub_index/search/lexical/spelling.py. */

/** @typedef {{minChars: number, minCharsTwoEdits: number, maxChars: number, alphabet: string, scanned: number}} Rules */
/** @typedef {(first: string) => Promise<Record<string, number>>} WordsOf the hub's written words that begin so, with their documents */

/** The most common word within reach of an unknown one; empty where there is none. @param {string} typed @param {Rules} rules @param {WordsOf} wordsOf */
export async function suggestWord(typed, rules, wordsOf) {
  const word = typed.toLowerCase();
  if (word.length > rules.maxChars || !/^[a-z]+$/.test(word)) return "";
  if (word.length < rules.minChars) {
    const longer = new Set([...rules.alphabet].map((letter) => word + letter));
    return word.length === rules.minChars - 1 ? mostCommon(longer, word, wordsOf) : "";
  }
  const best = await mostCommon(oneEdit(word, rules.alphabet), word, wordsOf);
  if (best || word.length < rules.minCharsTwoEdits) return best;
  const known = await wordsOf(word[0]);
  const near = Object.keys(known)
    .sort()
    .slice(0, rules.scanned)
    .filter((other) => isWithinTwoEdits(word, other, rules.minChars));
  return near.reduce(
    (found, other) =>
      !found || known[other] > known[found] || (known[other] === known[found] && other > found) ? other : found,
    "",
  );
}

/** The stretches of ASCII letters and digits. @param {string} text */
export function latinWords(text) {
  return text.match(/[a-zA-Z0-9]+/g) ?? [];
}

/** @param {string} text @param {Map<string, string>} words */
export function replaceWords(text, words) {
  return text.replaceAll(/[a-zA-Z0-9]+/g, (word) => words.get(word) ?? word);
}

/** Every spelling that one typo could have turned into the word. @param {string} word @param {string} alphabet */
function oneEdit(word, alphabet) {
  /** @type {Set<string>} */
  const spellings = new Set();
  for (let at = 0; at <= word.length; at += 1) {
    const [left, right] = [word.slice(0, at), word.slice(at)];
    if (right) spellings.add(left + right.slice(1));
    if (right.length > 1) spellings.add(left + right[1] + right[0] + right.slice(2));
    for (const letter of alphabet) {
      if (right) spellings.add(left + letter + right.slice(1));
      spellings.add(left + letter + right);
    }
  }
  spellings.delete(word);
  return spellings;
}

/** Damerau's four kinds of typo, no letter moved twice. @param {string} word @param {string} other @param {number} minChars */
function isWithinTwoEdits(word, other, minChars) {
  if (Math.abs(word.length - other.length) > 2 || other.length < minChars || !/^[a-z]+$/.test(other)) return false;
  /** @type {number[]} */
  let before = [];
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let i = 1; i <= word.length; i += 1) {
    const current = [i];
    for (let j = 1; j <= other.length; j += 1) {
      let cost = Math.min(row[j] + 1, current[j - 1] + 1, row[j - 1] + Number(word[i - 1] !== other[j - 1]));
      if (i > 1 && j > 1 && word[i - 1] === other[j - 2] && word[i - 2] === other[j - 1])
        cost = Math.min(cost, before[j - 2] + 1);
      current.push(cost);
    }
    if (Math.min(...current) > 2) return false;
    [before, row] = [row, current];
  }
  return row[row.length - 1] <= 2;
}

/** At equal numbers the word that begins like the one typed, then the last of the alphabet. @param {Set<string>} spellings @param {string} word @param {WordsOf} wordsOf */
async function mostCommon(spellings, word, wordsOf) {
  const firsts = [...new Set([...spellings].filter(Boolean).map((other) => other[0]))];
  const files = new Map(
    await Promise.all(
      firsts.map(async (first) => /** @type {[string, Record<string, number>]} */ ([first, await wordsOf(first)])),
    ),
  );
  let [best, bestCount] = ["", 0];
  for (const other of spellings) {
    const known = files.get(other[0]) ?? {};
    const count = Object.hasOwn(known, other) && other.length > 2 ? known[other] : 0;
    if (!count || count < bestCount) continue;
    const isBetter = count > bestCount || rankOf(other, word) > rankOf(best, word);
    if (isBetter) [best, bestCount] = [other, count];
  }
  return best;
}

/** @param {string} other @param {string} word */
function rankOf(other, word) {
  return (other[0] === word[0] ? "1" : "0") + other;
}
