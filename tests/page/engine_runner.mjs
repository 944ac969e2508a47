// Runs a page's engine outside of a browser: `node engine_runner.mjs SITE [ADDRESS]` reads calls from stdin, writes
// answers to stdout, both as JSON. Data files come from the server at ADDRESS, or else from the disk, by a stand-in for fetch.

import { readFile } from "node:fs/promises";
import { fileURLToPath, pathToFileURL } from "node:url";

const site = pathToFileURL(`${process.argv[2]}/`);
const server = process.argv[3];
const fetchFromServer = globalThis.fetch;
globalThis.fetch = async (address, options) => {
  if (server) return fetchFromServer(server + String(address).slice(site.href.length), options);
  try {
    return new Response(await readFile(fileURLToPath(address)));
  } catch {
    return new Response("", { status: 404 });
  }
};

const load = (/** @type {string} */ name) => import(new URL(name, site).href);
const { Engine } = await load("engine.js");
const engine = new Engine();
await engine.call("open");

const inside = {
  tokens: async (texts) => texts.map((text) => engine.tokenizer.tokenize(text)),
  parse: async (texts) => {
    const [{ parseQuery }, { say }] = [await load("query.js"), await load("strings.js")];
    return texts.map((text) => {
      const parsed = parseQuery(text, engine.facts, (words) => engine.tokenizer.tokenize(words));
      return { ...parsed, notices: parsed.notices.map(({ key, ...values }) => say(key, values)) };
    });
  },
  race: async (requests) => {
    const ends = await Promise.allSettled(requests.map((request) => engine.call("search", request)));
    return ends.map(({ status, reason }) => (status === "fulfilled" ? "answered" : reason.kind));
  },
  pieces: async (texts) => {
    const { encodeIds } = await load("pieces.js");
    return texts.map((text) => encodeIds(engine.model.vocabulary, text));
  },
  vector: async (text) => [...(await engine.model.embed(text))],
};

let calls = "";
for await (const part of process.stdin) calls += part;
const answers = [];
for (const [method, given] of JSON.parse(calls)) {
  try {
    answers.push(await (inside[method]?.(given) ?? engine.call(method, given)));
  } catch (error) {
    answers.push({ error: String(error.message), kind: error.kind ?? "" });
  }
}
process.stdout.write(JSON.stringify(answers));
