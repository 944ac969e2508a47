// @ts-check
/**
 * English word → stem, as Snowball's English stemmer gives it: the page's tokens must be those of the command line.
 * Facts of the algorithm: snowballstem.org/algorithms/english/stemmer.html
 */

const VOWELS = "aeiouy";
const DOUBLES = new Set(["bb", "dd", "ff", "gg", "mm", "nn", "pp", "rr", "tt"]);

/** Words that the rules would spoil, with their stems. */
const WHOLE = new Map(
  Object.entries({
    skis: "ski",
    skies: "sky",
    idly: "idl",
    gently: "gentl",
    ugly: "ugli",
    early: "earli",
    only: "onli",
    singly: "singl",
    sky: "sky",
    news: "news",
    howe: "howe",
    atlas: "atlas",
    cosmos: "cosmos",
    bias: "bias",
    andes: "andes",
  }),
);

/** Words that are left alone once their plural is gone. */
const FINISHED = new Set("inning outing canning herring earring evening proceed exceed succeed".split(" "));

/** Beginnings after which the first region starts, whatever their vowels. */
const PREFIXES = ["gener", "commun", "arsen", "past", "univers", "later", "emerg", "organ", "inter"];

/** @typedef {(word: Word, stem: string) => boolean} Condition */
/** @typedef {[string, string, Condition]} Rule a suffix, what replaces it, and where */

/** @type {Condition} */
const inFirst = (word, stem) => stem.length >= word.first;
/** @type {Condition} */
const inSecond = (word, stem) => stem.length >= word.second;

/** @type {Rule[]} */
const STEP_2 = [
  ["ization", "ize", inFirst],
  ["ational", "ate", inFirst],
  ["fulness", "ful", inFirst],
  ["ousness", "ous", inFirst],
  ["iveness", "ive", inFirst],
  ["tional", "tion", inFirst],
  ["biliti", "ble", inFirst],
  ["lessli", "less", inFirst],
  ["ogist", "og", inFirst],
  ["entli", "ent", inFirst],
  ["ation", "ate", inFirst],
  ["alism", "al", inFirst],
  ["aliti", "al", inFirst],
  ["ousli", "ous", inFirst],
  ["iviti", "ive", inFirst],
  ["fulli", "ful", inFirst],
  ["enci", "ence", inFirst],
  ["anci", "ance", inFirst],
  ["abli", "able", inFirst],
  ["izer", "ize", inFirst],
  ["ator", "ate", inFirst],
  ["alli", "al", inFirst],
  ["bli", "ble", inFirst],
  ["ogi", "og", (word, stem) => inFirst(word, stem) && stem.endsWith("l")],
  ["li", "", (word, stem) => inFirst(word, stem) && "cdeghkmnrt".includes(last(stem))],
];

/** @type {Rule[]} */
const STEP_3 = [
  ["ational", "ate", inFirst],
  ["tional", "tion", inFirst],
  ["alize", "al", inFirst],
  ["icate", "ic", inFirst],
  ["iciti", "ic", inFirst],
  ["ative", "", (word, stem) => inFirst(word, stem) && inSecond(word, stem)],
  ["ical", "ic", inFirst],
  ["ness", "", inFirst],
  ["ful", "", inFirst],
];

/** @type {Rule} */
const ION = ["ion", "", (word, stem) => inSecond(word, stem) && "st".includes(last(stem))];
const STEP_4 = "ement ance ence able ible ment ant ent ism ate iti ous ive ize al er ic"
  .split(" ")
  .map((suffix) => /** @type {Rule} */ ([suffix, "", inSecond]))
  .concat([ION])
  .sort((a, b) => b[0].length - a[0].length);

/** A word on its way to its stem, and where its two regions begin. */
class Word {
  /** @param {string} text */
  constructor(text) {
    this.text = text;
    const prefix = PREFIXES.find((known) => text.startsWith(known));
    this.first = prefix ? prefix.length : afterVowelAndConsonant(text, 0);
    this.second = afterVowelAndConsonant(text, this.first);
  }
}

/**
 * @param {string} word of lower-case ASCII letters and digits
 * @returns {string} its stem
 */
export function stemWord(word) {
  const whole = WHOLE.get(word);
  if (whole !== undefined) return whole;
  if (word.length < 3) return word;
  const found = new Word(markConsonantY(word));
  removePlural(found);
  if (!FINISHED.has(found.text)) {
    removePast(found);
    replaceY(found);
    applyLongest(found, STEP_2);
    applyLongest(found, STEP_3);
    applyLongest(found, STEP_4);
    removeEnd(found);
  }
  return found.text.replaceAll("Y", "y");
}

/** @param {string} text */
function last(text) {
  return text ? text[text.length - 1] : "-";
}

/** @param {string | undefined} letter */
function isVowel(letter) {
  return letter !== undefined && letter !== "" && VOWELS.includes(letter);
}

/** @param {string} text */
function hasVowel(text) {
  return [...text].some(isVowel);
}

/** A y that begins the word or follows a vowel is a consonant. @param {string} word */
function markConsonantY(word) {
  let marked = "";
  for (const letter of word) {
    marked += letter === "y" && (marked === "" || isVowel(last(marked))) ? "Y" : letter;
  }
  return marked;
}

/** @param {string} text @param {number} start */
function afterVowelAndConsonant(text, start) {
  let at = start;
  while (at < text.length && !isVowel(text[at])) at += 1;
  while (at < text.length && isVowel(text[at])) at += 1;
  return Math.min(at + 1, text.length);
}

/** @param {string} text */
function endsInShortSyllable(text) {
  const [before, vowel, end] = [text.at(-3), text.at(-2), text.at(-1)];
  if (text.endsWith("past")) return true;
  if (!isVowel(vowel) || isVowel(end) || end === undefined) return false;
  if (text.length === 2) return true;
  return !isVowel(before) && !"wxY".includes(end);
}

/** @param {Word} word */
function removePlural(word) {
  const { text } = word;
  if (text.endsWith("sses")) word.text = text.slice(0, -2);
  else if (text.endsWith("ied") || text.endsWith("ies")) word.text = text.slice(0, text.length > 4 ? -2 : -1);
  else if (text.endsWith("us") || text.endsWith("ss")) return;
  else if (text.endsWith("s") && hasVowel(text.slice(0, -2))) word.text = text.slice(0, -1);
}

/** @param {Word} word */
function removePast(word) {
  const { text } = word;
  for (const suffix of ["eedly", "eed"]) {
    if (text.endsWith(suffix)) {
      const stem = text.slice(0, -suffix.length);
      if (inFirst(word, stem)) word.text = `${stem}ee`;
      return;
    }
  }
  for (const suffix of ["ingly", "edly", "ing", "ed"]) {
    if (text.endsWith(suffix)) {
      const stem = text.slice(0, -suffix.length);
      if (suffix === "ing" && /^.y$/.test(stem) && !isVowel(stem[0])) word.text = `${stem[0]}ie`;
      else if (hasVowel(stem)) word.text = mendStem(word, stem);
      return;
    }
  }
}

/** What is left of a past tense, with its e put back or its double letter made single. @param {Word} word @param {string} stem */
function mendStem(word, stem) {
  if (/(?:at|bl|iz)$/.test(stem)) return `${stem}e`;
  if (DOUBLES.has(stem.slice(-2))) {
    return stem.length === 3 && "aeo".includes(stem[0]) ? stem : stem.slice(0, -1);
  }
  return stem.length === word.first && endsInShortSyllable(stem) ? `${stem}e` : stem;
}

/** @param {Word} word */
function replaceY(word) {
  const { text } = word;
  if (/[yY]$/.test(text) && text.length > 2 && !isVowel(text.at(-2))) word.text = `${text.slice(0, -1)}i`;
}

/** The longest suffix decides, even where its condition refuses. @param {Word} word @param {Rule[]} rules longest first */
function applyLongest(word, rules) {
  for (const [suffix, replacement, condition] of rules) {
    if (word.text.endsWith(suffix)) {
      const stem = word.text.slice(0, -suffix.length);
      if (condition(word, stem)) word.text = stem + replacement;
      return;
    }
  }
}

/** @param {Word} word */
function removeEnd(word) {
  const stem = word.text.slice(0, -1);
  if (word.text.endsWith("e")) {
    if (inSecond(word, stem) || (inFirst(word, stem) && !endsInShortSyllable(stem))) word.text = stem;
  } else if (word.text.endsWith("ll") && inSecond(word, stem)) word.text = stem;
}
