/** Asks reader.mjs what standard input lists, as JSON: verdicts of places, tokens of texts, searches, digests. */

import { pathToFileURL } from "node:url";

const [readerPath] = process.argv.slice(2);
const reader = await import(pathToFileURL(readerPath).href);

/** What the reader says of an index: of its records, and of all of it. */
async function verdict(place) {
  let index;
  try {
    index = await reader.openIndex(place);
  } catch (error) {
    if (!(error instanceof reader.IndexRefused)) throw error;
    return [error.kind, error.kind];
  }
  try {
    await index.vectors();
  } catch (error) {
    if (!(error instanceof reader.IndexRefused)) throw error;
    return ["good", error.kind];
  }
  return ["good", "good"];
}

/** The ids of an index and the answers to some questions. */
async function search({ place, questions }) {
  const index = await reader.openIndex(place);
  const answers = [];
  for (const { query, ...question } of questions) {
    const { mode, reason, hits } = await index.search(query, { k: 100, ...question });
    answers.push({ mode, reason, hits: hits.map(({ record, score }) => [record.id, score]) });
  }
  return { ids: index.records.map((record) => record.id), answers };
}

let input = "";
for await (const piece of process.stdin) input += piece;
const { verdicts = [], texts = [], searches = [], digests = [], hasSubtle = true } = JSON.parse(input);
if (!hasSubtle) Object.defineProperty(globalThis, "crypto", { value: undefined });
const found = { verdicts: [], searches: [] };
for (const place of verdicts) found.verdicts.push(await verdict(place));
for (const each of searches) found.searches.push(await search(each));
found.tokens = texts.map((text) => reader.tinyTokens(text));
found.digests = digests.map((text) => Buffer.from(reader.plainSha256(new TextEncoder().encode(text))).toString("hex"));
process.stdout.write(JSON.stringify(found));
