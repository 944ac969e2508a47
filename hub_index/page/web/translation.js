// @ts-check
/** Chinese words of a query also look for their English glosses: hub_index/search/lexical/translation. */

import { repeatWeight } from "./lexical.js";
import { DESCRIPTION, NAME } from "./phrases.js";
import { hasCjk } from "./tokens.js";

/** @typedef {import("./lexical.js").LexicalIndex} LexicalIndex */
/** @typedef {import("./matching.js").Source} Source */
/** @typedef {{fold: (text: string) => string, has: (word: string) => boolean, glossesOf: (word: string) => string[][]}} Dictionary */
/** @typedef {{word: string, tokens: string[], weight: number, chinese?: string}} Gloss chinese: of an English word */

const SATURATION = 2.2;

/**
 * Adds what the glosses give to the scores; the glosses, for those who ask why.
 * @param {Source} source @param {LexicalIndex} index @param {string} text @param {Map<string, number>} counts
 * @param {{scores: Map<number, number>, upperBound: number}} weighted @returns {Promise<Gloss[]>}
 */
export async function translateQuery(source, index, text, counts, weighted) {
  if (!(await unknownShare(source, index, [...counts.keys()]))) return [];
  const dictionary = await source.dictionary(text);
  if (!dictionary) return [];
  const rules = source.facts.translation;
  const words = splitHanWords(text, dictionary, source.facts);
  const translation = await weighGlosses(words, dictionary, source, index);
  // pairs of characters that belong to two words are hardly ever known, and would count against a Chinese hub
  const unknown = await unknownShare(
    source,
    index,
    [...words.keys()].flatMap((word) => source.tokenize(word)),
  );
  const isBounded = translation.bound > 0 && weighted.upperBound > 0;
  const share = isBounded ? unknown * (weighted.upperBound / translation.bound) ** rules.boundPower : 0;
  if (!share) return [];
  for (const gloss of translation.glosses) await addGloss(source, index, gloss, share, weighted.scores);
  return translation.glosses;
}

/** Whether a row holds every word of a gloss, where that counts. @param {Source} source @param {Gloss} gloss */
export async function holdersOf(source, gloss) {
  const sets = await Promise.all(
    gloss.tokens.map(
      async (token) => new Set((await source.term(token))?.lists.slice(0, -1).flatMap((list) => [...list.rows])),
    ),
  );
  return (/** @type {number} */ row) => (!gloss.chinese || source.isTold(row)) && sets.every((rows) => rows.has(row));
}

/** Adds what a gloss gives in some fields, or in all. @param {Source} source @param {LexicalIndex} index @param {Gloss} gloss @param {number} share @param {Map<number, number>} scores @param {number[]} [fields] */
export async function addGloss(source, index, gloss, share, scores, fields) {
  /** @type {Map<number, number>} */
  const found = new Map();
  for (const token of gloss.tokens) {
    const term = await source.term(token);
    if (term) index.addTerm(found, token, term, gloss.weight * share, term.known, fields);
  }
  const isWhole = gloss.tokens.length > 1 ? await holdersOf(source, gloss) : () => true;
  const { incomplete } = source.facts.translation;
  for (const [row, score] of found)
    scores.set(row, (scores.get(row) ?? 0) + (isWhole(row) ? score : incomplete * score));
}

/** How much of the Chinese among the tokens stands in no name and no description, by weight. @param {Source} source @param {LexicalIndex} index @param {string[]} tokens */
async function unknownShare(source, index, tokens) {
  let [total, unknown] = [0, 0];
  for (const token of tokens.filter(hasCjk)) {
    const term = await source.term(token);
    const weight = index.boundOf(term?.known ?? 0);
    total += weight;
    if (!term?.lists[NAME].rows.length && !term?.lists[DESCRIPTION].rows.length) unknown += weight;
  }
  return total ? unknown / total : 0;
}

/** The glosses that the hub knows, weighted, and the most that they can reach. @param {Map<string, number>} words @param {Pick<Dictionary, "glossesOf">} dictionary @param {Source} source @param {LexicalIndex} index */
export async function weighGlosses(words, dictionary, source, index) {
  const rules = source.facts.translation;
  /** @type {Gloss[]} */
  const glosses = [];
  let bound = 0;
  for (const [word, times] of words) {
    const weight = repeatWeight(times) * (word.length === 1 ? rules.singleCharacter : 1);
    const known = dictionary.glossesOf(word);
    const rarities = await Promise.all(
      known.map((tokens) =>
        Promise.all(tokens.map(async (token) => index.idf((await source.term(token))?.known ?? 0))),
      ),
    );
    const sums = rarities.map((idfs) => idfs.reduce((sum, idf) => sum + idf, 0));
    const values = rarities.map((idfs, at) => Math.min(sums[at], rules.maxGlossIdf * Math.max(...idfs)));
    bound += weight * (values.length ? values.reduce((sum, value) => sum + value, 0) / values.length : index.idf(0));
    for (const [at, tokens] of known.entries()) {
      glosses.push({ word, tokens, weight: ((weight / known.length) * values[at]) / sums[at] });
    }
  }
  return { glosses, bound: SATURATION * bound };
}

/** How often each Chinese word stands in the text, without words that say nothing. @param {string} text @param {Dictionary} dictionary @param {any} facts */
function splitHanWords(text, dictionary, { stopWords, translation }) {
  /** @type {Map<string, number>} */
  const words = new Map();
  for (const run of dictionary.fold(text).match(/[\u3400-\u9fff]+/g) ?? []) {
    for (const word of segment(run, dictionary, translation.wordChars, stopWords.cjkWords)) {
      const saysNothing =
        stopWords.cjkWords.includes(word) ||
        [...word].every((character) => stopWords.cjkCharacters.includes(character));
      if (!saysNothing) words.set(word, (words.get(word) ?? 0) + 1);
    }
  }
  return words;
}

/** The run as the fewest words; of equally many the ones with the longest among them, and first. @param {string} run @param {Dictionary} dictionary @param {number} longest @param {string[]} stopWords */
function segment(run, dictionary, longest, stopWords) {
  const isWord = (/** @type {string} */ word) => dictionary.has(word) || stopWords.includes(word);
  const costs = Array.from({ length: run.length + 1 }, () => [0, 0]); // words, then minus the sum of squares
  const steps = new Array(run.length).fill(1);
  for (let start = run.length - 1; start >= 0; start -= 1) {
    costs[start] = [Infinity, 0];
    for (let size = 1; size <= Math.min(longest, run.length - start); size += 1) {
      if (size > 1 && !isWord(run.slice(start, start + size))) continue;
      const [count, squares] = [costs[start + size][0] + 1, costs[start + size][1] - size * size];
      if (count < costs[start][0] || (count === costs[start][0] && squares <= costs[start][1])) {
        costs[start] = [count, squares];
        steps[start] = size;
      }
    }
  }
  const words = [];
  for (let at = 0; at < run.length; at += steps[at]) words.push(run.slice(at, at + steps[at]));
  return words;
}
