// @ts-check
/**
 * Text → tokens, as hub_index/search/words/tokens.py makes them: lower-case words, split at everything that is neither
 * letter nor digit and at camelCase (the joined form is kept), ASCII words stemmed, stop words gone, CJK as bigrams.
 * The stop words come with the page's data, so that they stand in one place.
 */

import { stemWord } from "./stem.js";

const MAX_TOKEN_CHARS = 64;
const NOT_A_WORD = /[^\p{L}\p{N}\p{M}]+/u;
const ASCII_SIGNS = /[\0-/:-@[-`{-\x7f]+|\s+/u;
const ACCENTS = /[\u0300-\u036f]/gu;
const ASCII_ONLY = /^[\0-\x7f]*$/;
const CJK =
  /[\u3005-\u30ff\u31f0-\u31ff\u3400-\u9fff\uac00-\ud7ff\uf900-\ufaff\uff66-\uffdc\u1100-\u11ff\u{20000}-\u{3ffff}]/u;
const UPPER = /\p{Lu}/u;
const LOWER = /\p{Ll}/u;
const CASED = /\p{Lu}|\p{Ll}|\p{Lt}/u;

/**
 * @typedef {object} StopWords
 * @property {Set<string>} english
 * @property {Set<string>} cjkCharacters
 * @property {Set<string>} cjkWords
 */

/** @param {string} text */
export function hasCjk(text) {
  return CJK.test(text);
}

/** The text with width, ligatures and accents evened out. @param {string} text */
export function foldText(text) {
  return ASCII_ONLY.test(text) ? text : text.normalize("NFKD").replace(ACCENTS, "").normalize("NFC");
}

/** The words of a text as they are written. @param {string} text */
export function splitWords(text) {
  return text
    .split(ASCII_SIGNS)
    .flatMap((stretch) => (ASCII_ONLY.test(stretch) ? [stretch] : foldText(stretch).split(NOT_A_WORD)))
    .filter((word) => word !== "");
}

/** The tokens of texts, for one list of stop words. */
export class Tokenizer {
  /** @param {StopWords} stopWords */
  constructor(stopWords) {
    this.stopWords = stopWords;
    /** @type {Map<string, string[]>} */
    this.known = new Map();
  }

  /** The tokens of a text, in its order. @param {string} text */
  tokenize(text) {
    return splitWords(text).flatMap((word) => this.wordTokens(word));
  }

  /** @param {string} word */
  wordTokens(word) {
    let tokens = this.known.get(word);
    if (tokens === undefined) {
      tokens = hasCjk(word) ? this.mixedTokens(word) : this.latinTokens(word);
      if (this.known.size < 50_000) this.known.set(word, tokens);
    }
    return tokens;
  }

  /** A word with CJK in it, cut where the script changes. @param {string} word */
  mixedTokens(word) {
    const tokens = [];
    let run = "";
    let isCjk = false;
    for (const character of word) {
      if (run && hasCjk(character) !== isCjk) {
        tokens.push(...(isCjk ? this.bigrams(run) : this.latinTokens(run)));
        run = "";
      }
      isCjk = hasCjk(character);
      run += character;
    }
    tokens.push(...(isCjk ? this.bigrams(run) : this.latinTokens(run)));
    return tokens;
  }

  /** @param {string} written */
  latinTokens(written) {
    const word = written.length > MAX_TOKEN_CHARS ? [...written].slice(0, MAX_TOKEN_CHARS).join("") : written;
    const lower = word.toLowerCase();
    let parts = [word];
    if (lower !== word && !isUpper(word) && !isTitle(word)) {
      parts = camelParts(word);
      if (parts.length > 1) parts = [...parts.filter((part) => [...part].length > 1), word];
    }
    return parts
      .map((part) => part.toLowerCase())
      .filter((part) => !this.stopWords.english.has(part))
      .map(stem);
  }

  /** Pairs of neighbours that may mean something; a character that stands alone is its own token. @param {string} run */
  bigrams(run) {
    const { cjkCharacters, cjkWords } = this.stopWords;
    const characters = [...run];
    if (characters.length === 1) return cjkCharacters.has(run) ? [] : [run];
    const pairs = [];
    for (let at = 0; at + 1 < characters.length; at += 1) {
      const pair = characters[at] + characters[at + 1];
      const isGrammar =
        cjkCharacters.has(characters[at]) || cjkCharacters.has(characters[at + 1]) || cjkWords.has(pair);
      if (!isGrammar) pairs.push(pair);
    }
    return pairs;
  }
}

/** @param {string} word in lower case */
function stem(word) {
  if (!ASCII_ONLY.test(word)) return word;
  const found = stemWord(word);
  // pdfs, csvs: the stemmer leaves words without a vowel alone
  return found.length > 3 && found.endsWith("s") && !/[aeiouy]/.test(found) ? found.slice(0, -1) : found;
}

/** @param {string} word */
function isUpper(word) {
  return UPPER.test(word) && !LOWER.test(word);
}

/** Upper case only after what has no case, lower case only after a letter that has one. @param {string} word */
function isTitle(word) {
  let afterCased = false;
  for (const character of word) {
    if (UPPER.test(character) && afterCased) return false;
    if (LOWER.test(character) && !afterCased) return false;
    afterCased = CASED.test(character);
  }
  return CASED.test(word);
}

/** `PowerPoint` → Power, Point; `XMLParser` → XML, Parser; `PDFs` stays whole. @param {string} word */
function camelParts(word) {
  if (word.endsWith("s") && isUpper(word.slice(0, -1))) return [word];
  const characters = [...word];
  const parts = [];
  let start = 0;
  for (let at = 1; at < characters.length; at += 1) {
    const beginsPart =
      UPPER.test(characters[at]) && (!UPPER.test(characters[at - 1]) || LOWER.test(characters[at + 1] ?? ""));
    if (beginsPart) {
      parts.push(characters.slice(start, at).join(""));
      start = at;
    }
  }
  parts.push(characters.slice(start).join(""));
  return parts;
}
