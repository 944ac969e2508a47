// `node page_neighbours.mjs FOLDER < documents.jsonl`: the same skills for MiniSearch and Pagefind, a site each below
// FOLDER, whose node_modules hold both packages. Each site answers `ask(text)` with the ids of the ten best.

import { copyFile, mkdir, writeFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const folder = process.argv[2];
const load = (file) => import(pathToFileURL(`${folder}/node_modules/${file}`).href);
const documents = [];
for await (const line of createInterface({ input: process.stdin })) documents.push(JSON.parse(line));

async function writeSite(name, script) {
  await mkdir(`${folder}/${name}`, { recursive: true });
  await writeFile(`${folder}/${name}/index.html`, '<!doctype html><meta charset="utf-8"><script type="module" src="ask.js"></script>');
  await writeFile(`${folder}/${name}/ask.js`, script);
}

const options = { fields: ["name", "description", "keywords", "body"], idField: "id" };
const { default: MiniSearch } = await load("minisearch/dist/es/index.js");
const mini = new MiniSearch(options);
mini.addAll(documents);
await writeSite(
  "minisearch",
  `import MiniSearch from "./minisearch.js";
const mini = MiniSearch.loadJSON(await (await fetch("index.json")).text(), ${JSON.stringify(options)});
window.ask = async (text) => mini.search(text, { prefix: true }).slice(0, 10).map(({ id }) => id);`,
);
await copyFile(`${folder}/node_modules/minisearch/dist/es/index.js`, `${folder}/minisearch/minisearch.js`);
await writeFile(`${folder}/minisearch/index.json`, JSON.stringify(mini));

const pagefind = await load("pagefind/lib/index.js");
const { index } = await pagefind.createIndex();
for (const { id, name, description, keywords, body } of documents) {
  const content = [name, description, keywords, body].join("\n");
  await index.addCustomRecord({ url: `/${id}`, content, language: "en", meta: { title: name } });
}
await writeSite(
  "pagefind",
  `import * as pagefind from "./pagefind/pagefind.js";
window.ask = async (text) => {
  const { results } = await pagefind.search(text);
  return Promise.all(results.slice(0, 10).map(async (result) => (await result.data()).raw_url ?? (await result.data()).url));
};`,
);
await index.writeFiles({ outputPath: `${folder}/pagefind/pagefind` });
await pagefind.close();
