// @ts-check
/** A query → hits: the plan of its words, both legs, fused as on the command line (hub_index/search/ranking/engine.py). */

import { makeJudge } from "./confidence.js";
import { DataError } from "./data_files.js";
import { normalizeValue } from "./filters.js";
import { evidence, rank } from "./fusion.js";
import { Matcher, planQuery } from "./matching.js";
import { spellsOut } from "./name_bonus.js";
import { presumeWords } from "./other_script.js";
import { makeItem } from "./parsed_query.js";
import { splitSentences } from "./sentences.js";
import { markTerms } from "./snippet.js";
import { hasCjk } from "./tokens.js";
import { holdersOf } from "./translation.js";

/** @typedef {import("./fusion.js").Candidate} Candidate */
/** @typedef {import("./matching.js").Plan} Plan */
/** @typedef {{text: string, mode: string, filters: Record<string, string>, k: number}} Request */

/** @typedef {() => Promise<void>} Check throws where a newer search has been asked */

/** The answer; by words alone, with a notice, where a file that only meaning needs cannot be had. @param {import("./engine.js").Engine} engine @param {Request} request @param {Check} check */
export async function search(engine, request, check) {
  try {
    return await searchOnce(engine, request, check);
  } catch (error) {
    if (!(error instanceof DataError) || request.mode === "keyword") throw error;
    const answer = await searchOnce(engine, { ...request, mode: "keyword" }, check);
    answer.notices.push({ key: "noticeMeaning", file: error.file });
    return answer;
  }
}

/** @param {import("./engine.js").Engine} engine @param {Request} request @param {Check} check */
async function searchOnce(engine, { text, mode, filters, k }, check) {
  const index = await engine.lexical();
  const plan = await planQuery(engine.source(), index, text);
  plan.allowed = await restrictTo(engine, index, filters, plan.allowed);
  await check();
  const isMeaning = mode !== "keyword" && plan.parsed.semanticText !== "";
  const vectors = isMeaning ? await embedQuery(engine, plan.parsed.semanticText, check) : null;
  const ranked = await rankRows(engine, index, plan, vectors, mode, k);
  const hits = await Promise.all(
    ranked.slice(0, k).map((candidate) => describe(engine, plan, candidate, vectors !== null)),
  );
  const good = ranked.filter((candidate) => !isWeak(engine, candidate)).length;
  if (!hits.length && plan.parsed.required.length && !engine.unread.size) plan.notices.push({ key: "noticeDemands" });
  const isMended = plan.correction && (!hits.length || hits[0].weak);
  const didYouMean = isMended && (await findsSomething(engine, index, plan.correction)) ? plan.correction : "";
  return { mode: vectors ? mode : "keyword", hits, good, notices: plan.notices, didYouMean };
}

/** The vector of the query and, of a long prompt, those of its sentences; null where the model is not loaded. @param {import("./engine.js").Engine} engine @param {string} text @param {Check} check @returns {Promise<Float32Array[] | null>} */
async function embedQuery(engine, text, check) {
  if (!engine.model || !engine.scan) return null;
  const vectors = [];
  for (const part of [text, ...splitSentences(text, engine.facts.prompt)]) {
    vectors.push(await engine.model.embed(part));
    await check();
  }
  return vectors;
}

/** @param {import("./engine.js").Engine} engine @param {import("./lexical.js").LexicalIndex} index @param {Plan} plan @param {Float32Array[] | null} vectors @param {string} mode @param {number} k */
async function rankRows(engine, index, plan, vectors, mode, k) {
  const candidates = collect(engine, plan, vectors, mode, k);
  const named =
    vectors && mode === "hybrid" ? await findNamed(engine, plan, index.named(plan.terms), candidates) : new Set();
  score(engine, plan, candidates, vectors ? mode : "keyword", named);
  const smallTalk = vectors && (engine.model?.nearSmallTalk(vectors[0]) ?? null);
  const judge = makeJudge(engine.facts, plan, index, smallTalk);
  for (const candidate of candidates) candidate.confidence = judge(candidate);
  return rank(candidates, (row) => engine.ids[row]);
}

/** Whether a mended query finds something that fits. @param {import("./engine.js").Engine} engine @param {import("./lexical.js").LexicalIndex} index @param {string} text */
async function findsSomething(engine, index, text) {
  const plan = await planQuery(engine.source(), index, text);
  const ranked = await rankRows(engine, index, plan, null, "keyword", 1);
  const least = engine.facts.confidence.offeredShare * plan.upperBound; // the mended word alone is no offer
  return ranked.length > 0 && !isWeak(engine, ranked[0]) && ranked[0].lexical >= least;
}

/** Whether a candidate probably does not fit. @param {import("./engine.js").Engine} engine @param {Candidate} candidate */
function isWeak(engine, candidate) {
  return candidate.confidence < engine.facts.confidence.strong;
}

/** What the page's own filters allow besides. @param {import("./engine.js").Engine} engine @param {import("./lexical.js").LexicalIndex} index @param {Record<string, string>} filters @param {Set<number> | null} allowed */
async function restrictTo(engine, index, filters, allowed) {
  const source = engine.source();
  const matcher = new Matcher(source, index, new Map());
  const sets = allowed ? [allowed] : [];
  for (const [name, field] of Object.entries({ lang: "lang", since: "since", tag: "keywords", path: "path" })) {
    const isFilter = field === "lang" || field === "since";
    const value = isFilter
      ? normalizeValue(field, filters[name] ?? "", engine.facts.query.days)
      : (filters[name] ?? "").trim();
    if (value) sets.push(await matcher.match(makeItem(value, { field })));
  }
  if (filters.kind) {
    const wanted = engine.facts.kinds.indexOf(filters.kind);
    sets.push(new Set(source.rows.filter((row) => engine.documents.get("kinds")[row] === wanted)));
  }
  if (!sets.length) return null;
  return new Set([...sets[0]].filter((row) => sets.every((rows) => rows.has(row))));
}

/** @param {import("./engine.js").Engine} engine @param {Plan} plan @param {Float32Array[] | null} vectors @param {string} mode @param {number} k @returns {Candidate[]} */
function collect(engine, plan, vectors, mode, k) {
  const { allowed, scores, exact, parsed } = plan;
  const isAllowed = (/** @type {number} */ row) => allowed === null || allowed.has(row);
  const isDemanding = parsed.items.length > 0 && !parsed.required.length;
  const all = engine.source().rows;
  const held =
    allowed === null && isDemanding
      ? [...scores.keys()]
      : isDemanding
        ? [...scores.keys()].filter(isAllowed)
        : all.filter(isAllowed);
  const cosines = (vectors && engine.scan?.cosines(vectors, engine.facts.prompt.sentenceShare)) ?? null;
  /** @type {Set<number>} */
  const rows = new Set();
  const depth = Math.max(engine.facts.fusion.depth, 2 * k);
  if (mode !== "semantic" || !cosines) {
    for (const row of cosines ? best(held, (row) => scores.get(row) ?? 0, depth) : held) rows.add(row);
    for (const row of exact) if (isAllowed(row)) rows.add(row);
  }
  if (cosines) for (const row of best(all.filter(isAllowed), (row) => cosines[row], depth)) rows.add(row);
  const isNamed = (/** @type {number} */ row) => mode !== "semantic" && exact.has(row);
  return [...rows].map((row) => ({
    row,
    lexical: Math.round((scores.get(row) ?? 0) * 1e6) / 1e6,
    cosine: cosines?.[row] ?? 0,
    bonus: 0,
    presumed: 0,
    isExact: isNamed(row),
    score: 0,
    confidence: 0,
  }));
}

/** @param {import("./engine.js").Engine} engine @param {Plan} plan @param {Candidate[]} candidates @param {string} mode @param {Set<number>} named */
function score(engine, plan, candidates, mode, named) {
  const constants = engine.facts.fusion;
  if (mode === "hybrid" && !hasCjk(plan.parsed.text)) {
    const told = engine.documents.get("cjk");
    presumeWords(candidates, (row) => told[row] > 0, plan.upperBound, constants, engine.facts.otherScript);
  }
  for (const candidate of candidates) {
    if (mode === "keyword") candidate.score = candidate.lexical;
    else if (mode === "semantic") candidate.score = candidate.cosine;
    else {
      candidate.bonus = named.has(candidate.row) ? constants.nameBonus : 0;
      candidate.score = evidence(candidate, plan.upperBound, constants) + candidate.bonus + candidate.presumed;
    }
  }
}

/** Rows whose name the query spells out. @param {import("./engine.js").Engine} engine @param {Plan} plan @param {Set<number>} named @param {Candidate[]} candidates @returns {Promise<Set<number>>} */
async function findNamed(engine, plan, named, candidates) {
  const { tokenize } = engine.source();
  const tokens = tokenize(plan.correction || plan.parsed.text);
  const rows = candidates.map(({ row }) => row).filter((row) => named.has(row));
  const kept = await Promise.all(rows.map(async (row) => spellsOut(tokens, (await engine.record(row)).name, tokenize)));
  return new Set(rows.filter((_, at) => kept[at]));
}

/** A hit as the page shows it. @param {import("./engine.js").Engine} engine @param {Plan} plan @param {Candidate} candidate @param {boolean} isMeaning */
async function describe(engine, plan, candidate, isMeaning) {
  const record = await engine.record(candidate.row);
  const why = [];
  if (isMeaning) why.push({ key: "whyCosine", value: candidate.cosine.toFixed(3) });
  if (candidate.lexical) why.push({ key: "whyLexical", value: candidate.lexical.toFixed(2) });
  if (candidate.bonus) why.push({ key: "whyName" });
  if (candidate.presumed) why.push({ key: "whyOtherScript", value: candidate.presumed.toFixed(3) });
  for (const gloss of plan.glosses) {
    if ((await holdersOf(engine.source(), gloss))(candidate.row))
      why.push({ key: "whyTranslated", word: gloss.word, gloss: gloss.chinese ?? gloss.tokens.join(" ") });
  }
  if (candidate.isExact) why.push({ key: "whyExact" });
  // a single character stands for too many things to be shown as a match
  const translated = plan.glosses.flatMap((gloss) => (gloss.word.length > 1 ? gloss.tokens : []));
  const spans = markTerms(record.description, new Set([...plan.counts.keys(), ...translated]), engine.tokenizer);
  const { row, score, confidence } = candidate;
  const weak = isWeak(engine, candidate);
  return { ...record, row, score, confidence, weak, snippet: record.description, spans, why };
}

/** The best of some rows, best first; equal ones in their order. @param {number[]} rows @param {(row: number) => number} value @param {number} count */
export function best(rows, value, count) {
  return rows.sort((one, other) => value(other) - value(one) || one - other).slice(0, count);
}
