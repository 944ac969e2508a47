// @ts-check
/** English words of a query also look for the Chinese that they mean: hub_index/search/lexical/translation/to_chinese.py. */

import { DESCRIPTION, KEYWORDS, NAME } from "./phrases.js";
import { splitWords } from "./tokens.js";
import { addGloss, weighGlosses } from "./translation.js";

/** @typedef {import("./matching.js").Source} Source */
/** @typedef {import("./translation.js").Gloss} Gloss */

const SHORT_FIELDS = [NAME, DESCRIPTION, KEYWORDS];

/**
 * Adds what Chinese words give to the scores of skills that are described in CJK; the words, for those who ask why.
 * @param {Source} source @param {import("./lexical.js").LexicalIndex} index @param {string} text @param {Map<string, number>} counts
 * @param {{scores: Map<number, number>, upperBound: number}} weighted @returns {Promise<Gloss[]>}
 */
export async function translateToChinese(source, index, text, counts, weighted) {
  const tokens = source.tokenize(text).filter((token) => counts.has(token));
  const chineseOf = await source.english(tokens);
  if (!chineseOf) return [];
  const rules = source.facts.translation;
  const words = countGlosses(tokens, chineseOf, rules.glossWords);
  const glossesOf = (/** @type {string} */ gloss) => chineseOf(gloss).map((word) => source.tokenize(word));
  const translation = await weighGlosses(words, { glossesOf }, source, index);
  const isBounded = translation.bound > 0 && weighted.upperBound > 0;
  if (!isBounded) return [];
  const share = (weighted.upperBound / translation.bound) ** rules.boundPower;
  /** @type {Map<number, number>} */
  const found = new Map();
  for (const gloss of translation.glosses)
    await addGloss(source, index, await limit(source, index, gloss, share), share, found, SHORT_FIELDS);
  const { scores } = weighted;
  for (const [row, score] of found) if (source.isTold(row)) scores.set(row, (scores.get(row) ?? 0) + score);
  const written = writtenWords(source, text);
  return translation.glosses.map((gloss) => ({
    ...gloss,
    word: gloss.word
      .split(" ")
      .map((token) => written.get(token) ?? token)
      .join(" "),
    chinese: chineseOf(gloss.word).find((word) => source.tokenize(word).join(" ") === gloss.tokens.join(" ")),
  }));
}

/** The gloss, weighing no more than the English words that it translates. @param {Source} source @param {import("./lexical.js").LexicalIndex} index @param {Gloss} gloss @param {number} share @returns {Promise<Gloss>} */
async function limit(source, index, gloss, share) {
  const sumOf = async (/** @type {string[]} */ tokens) => {
    const terms = await Promise.all(tokens.map((token) => source.term(token)));
    return terms.reduce((sum, term) => sum + index.idf(term?.known ?? 0), 0);
  };
  const own = await sumOf(gloss.word.split(" "));
  const most = gloss.weight * share * (await sumOf(gloss.tokens));
  return most > own ? { ...gloss, weight: (gloss.weight * own) / most } : gloss;
}

/** How often each gloss stands in the query: of words that mean something together the most, else the word. @param {string[]} tokens @param {(gloss: string) => string[]} chineseOf @param {number} longest */
function countGlosses(tokens, chineseOf, longest) {
  /** @type {Map<string, number>} */
  const counted = new Map();
  for (let at = 0; at < tokens.length; ) {
    let size = Math.min(longest, tokens.length - at);
    while (size > 1 && !chineseOf(tokens.slice(at, at + size).join(" ")).length) size -= 1;
    const gloss = tokens.slice(at, at + size).join(" ");
    counted.set(gloss, (counted.get(gloss) ?? 0) + 1);
    at += size;
  }
  return counted;
}

/** The words that tokens were made of, in lower case. @param {Source} source @param {string} text */
function writtenWords(source, text) {
  /** @type {Map<string, string>} */
  const written = new Map();
  for (const word of splitWords(text)) {
    const tokens = source.tokenize(word);
    if (tokens.length === 1 && !written.has(tokens[0])) written.set(tokens[0], word.toLowerCase());
  }
  return written;
}
