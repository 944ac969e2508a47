// @ts-check
/** Words that people use for one thing score as one term, by the best spelling: hub_index/search/lexical/synonyms.py. */

import { repeatWeight } from "./lexical.js";
import { latinWords } from "./spelling.js";
import { splitWhite } from "./white_space.js";

/** @typedef {import("./lexical.js").LexicalIndex} LexicalIndex */
/** @typedef {import("./lexical.js").Term} Term */
/** @typedef {import("./matching.js").Source} Source */
/** @typedef {Record<string, string[]>} Forms */
/** @typedef {{tokens: string[], others: string[][]}} Concept words of a query, and their other spellings that the hub holds */

const AROUND = /^[.,;:!?()[\]"'`]+|[.,;:!?()[\]"'`]+$/g;
const LEAST_PLURAL_CHARS = 3; // `dbs`, but not `os`

/** The query's words and their other spellings, scored. @param {Source} source @param {LexicalIndex} index @param {Forms} forms @param {string} request @param {Map<string, number>} counts */
export async function weighWords(source, index, forms, request, counts) {
  const terms = new Map(
    await Promise.all(
      [...counts.keys()].map(async (token) => /** @type {const} */ ([token, await source.term(token)])),
    ),
  );
  const { tokens, scores, upperBound } = await weighConcepts(source, index, forms, request, counts, terms);
  const own = new Map([...counts].filter(([token]) => !tokens.has(token)));
  return { terms, scores, upperBound: index.score(scores, own, terms, upperBound) };
}

/**
 * The concepts of a query: the tokens that they score, the scores by row, and the most that these can reach.
 * @param {Source} source @param {LexicalIndex} index @param {Forms} forms @param {string} text
 * @param {Map<string, number>} counts @param {Map<string, Term | undefined>} terms
 */
async function weighConcepts(source, index, forms, text, counts, terms) {
  const rules = source.facts.synonyms;
  const found = { tokens: new Set(), scores: new Map(), upperBound: 0 };
  for (const { tokens, others } of findConcepts(source, forms, text, counts)) {
    const weight = repeatWeight(Math.min(...tokens.map((token) => counts.get(token) ?? 1)));
    const own = holdAll(tokens, terms);
    const isKnown = own.length === tokens.length;
    if (isKnown && counts.size > rules.termsRespelled) continue;
    const value = isKnown ? rules.knownShare * rarityOf(index, own) : Infinity;
    const spellings = await Promise.all(others.map((other) => fetchTerms(source, other)));
    const ways = [scoreLoose(index, own, isKnown ? weight : rules.knownShare * weight)];
    for (const spelling of spellings)
      ways.push(scoreWhole(index, spelling, weight * Math.min(1, value / rarityOf(index, spelling))));
    addBest(found.scores, ways);
    for (const token of tokens) found.tokens.add(token);
    found.upperBound +=
      weight * (isKnown ? boundOf(index, own) : Math.max(...spellings.map((spelling) => boundOf(index, spelling))));
  }
  return found;
}

/** Whether the hub knows another spelling of a word that it does not hold. @param {Source} source @param {Forms} forms @param {string} word */
export function hasOtherSpelling(source, forms, word) {
  return findConcepts(source, forms, word, new Map(source.tokenize(word).map((token) => [token, 1]))).length > 0;
}

/** The concepts of a text, the longest run of words first. @param {Source} source @param {Forms} forms @param {string} text @param {Map<string, number>} counts @returns {Concept[]} */
function findConcepts(source, forms, text, counts) {
  const { formWords, concepts: most } = source.facts.synonyms;
  const words = latinWords(withoutFileNames(text)).map((word) => word.toLowerCase());
  /** @type {Concept[]} */
  const concepts = [];
  const taken = new Set();
  for (let at = 0; at < words.length && concepts.length < most; ) {
    const { size, spellings } = longestForm(forms, words.slice(at, at + formWords));
    const said = words.slice(at, at + size).join(" ");
    const tokens = [...new Set(source.tokenize(said))].filter((token) => counts.has(token));
    const others = spellings.filter((other) => other !== tokens.join(" ")).map((other) => other.split(" "));
    if (tokens.length && others.length && !tokens.some((token) => taken.has(token))) {
      concepts.push({ tokens, others });
      for (const token of tokens) taken.add(token);
    }
    at += size;
  }
  return concepts;
}

/** How many words the longest spelling has that begins here, and its others; 1 without any. @param {Forms} forms @param {string[]} words */
function longestForm(forms, words) {
  for (let size = words.length; size > 0; size -= 1) {
    const form = words.slice(0, size).join(" ");
    const singular = form.endsWith("s") && form.length >= LEAST_PLURAL_CHARS ? form.slice(0, -1) : form;
    for (const spelled of [form, singular])
      if (Object.hasOwn(forms, spelled)) return { size, spellings: forms[spelled] };
  }
  return { size: 1, spellings: [] };
}

/** The text without `utils.py`: the end of a file's name says nothing of Python. @param {string} text */
function withoutFileNames(text) {
  if (!text.includes(".")) return text;
  return splitWhite(text)
    .filter((word) => !word.replaceAll(AROUND, "").includes("."))
    .join(" ");
}

/** @typedef {[string, Term][]} Held tokens with their places */

/** Those of some tokens that the hub holds. @param {string[]} tokens @param {Map<string, Term | undefined>} terms @returns {Held} */
function holdAll(tokens, terms) {
  return tokens.flatMap((token) => {
    const term = terms.get(token);
    return term?.known ? [/** @type {[string, Term]} */ ([token, term])] : [];
  });
}

/** @param {Source} source @param {string[]} tokens @returns {Promise<Held>} */
async function fetchTerms(source, tokens) {
  const read = await Promise.all(tokens.map((token) => source.term(token)));
  return holdAll(tokens, new Map(tokens.map((token, at) => [token, read[at]])));
}

/** @param {LexicalIndex} index @param {Held} held */
function rarityOf(index, held) {
  return held.reduce((sum, [, { known }]) => sum + index.idf(known), 0);
}

/** @param {LexicalIndex} index @param {Held} held */
function boundOf(index, held) {
  return held.reduce((sum, [, { known }]) => sum + index.boundOf(known), 0);
}

/** @param {LexicalIndex} index @param {Held} held @param {number} weight */
function scoreLoose(index, held, weight) {
  /** @type {Map<number, number>} */
  const scores = new Map();
  for (const [token, term] of held) index.addWord(scores, token, term, weight);
  return scores;
}

/** A spelling of several words counts where a skill holds all of them. @param {LexicalIndex} index @param {Held} held @param {number} weight */
function scoreWhole(index, held, weight) {
  const scores = scoreLoose(index, held, weight);
  if (held.length === 1) return scores;
  const holders = held.map(([, term]) => index.holdersOf(term));
  return new Map([...scores].filter(([row]) => holders.every((rows) => rows.has(row))));
}

/** @param {Map<number, number>} scores @param {Map<number, number>[]} ways */
function addBest(scores, ways) {
  /** @type {Map<number, number>} */
  const best = new Map();
  for (const way of ways) for (const [row, score] of way) best.set(row, Math.max(score, best.get(row) ?? 0));
  for (const [row, score] of best) scores.set(row, (scores.get(row) ?? 0) + score);
}
