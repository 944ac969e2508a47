// @ts-check
/**
 * Offline after the first visit. The page's own files and page.json are asked for anew whenever there is a network;
 * data files are kept under the digests that page.json lists: a new revision of the hub drops what it does not list, and
 * what did not change is not loaded again. What a first visit loaded before this worker ran the page names in a message.
 */

const worker = /** @type {any} */ (globalThis);
const CACHE = "hub-index-page-2";
const PREFIX = "hub-index-page-";
const BASE = new URL("./", worker.location.href).href;
const FACTS = `${BASE}data/page.json`;
const FRAME = /(?:\/|\.html|\.js|\.css|\.svg|\.txt|data\/page\.json)$/;
const PART = "&"; // between the key of a file and the part of it that is kept
const FIRST_DATA = ["ids.bin", "documents.bin"]; // without them no word can be searched

worker.addEventListener("install", (/** @type {any} */ event) =>
  event.waitUntil(keepFrame().then(() => worker.skipWaiting())),
);

worker.addEventListener("activate", (/** @type {any} */ event) =>
  event.waitUntil(dropOthers().then(() => worker.clients.claim())),
);

worker.addEventListener("message", (/** @type {any} */ event) => event.waitUntil(keepLoaded(event.data.loaded)));

worker.addEventListener("fetch", (/** @type {any} */ event) => {
  const { request } = event;
  const address = request.url.split(/[?#]/)[0];
  if (request.method !== "GET" || !address.startsWith(BASE)) return;
  const range = request.headers.get("range");
  if (range) {
    event.respondWith(partFirst(request, address, range));
    return;
  }
  event.respondWith(FRAME.test(address) ? networkFirst(request, address) : cacheFirst(request, address));
});

/** All that the page is made of and its first data. Where one of them cannot be had this worker is not installed, and the next visit tries again. */
async function keepFrame() {
  const cache = await caches.open(CACHE);
  const listing = await (await fetch(`${BASE}page_files.json`, { cache: "no-cache" })).json();
  const names = Object.keys(listing.files).filter((name) => !name.startsWith(".") && FRAME.test(`/${name}`));
  await cache.addAll(["", ...names].map((name) => BASE + name));
  const { files } = await (await fetch(FACTS, { cache: "no-cache" })).json();
  await Promise.all(
    FIRST_DATA.map(async (name) => {
      const response = await fetch(`${BASE}data/${name}`);
      if (!response.ok) throw new Error(`data/${name} cannot be had: ${response.status}`);
      await cache.put(keyOf(`${BASE}data/${name}`, files[name].sha256), response);
    }),
  );
}

/** Data files and parts of them that the page has loaded by itself. @param {import("./data_files.js").Loaded[]} loaded */
async function keepLoaded(loaded) {
  for (const { name, range } of loaded) {
    const address = `${BASE}data/${name}`;
    if (range) await partFirst(new Request(address, { headers: { range } }), address, range);
    else await cacheFirst(new Request(address), address);
  }
}

/** Caches of older kinds. */
async function dropOthers() {
  const names = await caches.keys().catch(() => []);
  await Promise.all(
    names.filter((name) => name.startsWith(PREFIX) && name !== CACHE).map((name) => caches.delete(name)),
  );
}

/** @param {Request} request @param {string} address */
async function networkFirst(request, address) {
  try {
    const response = await fetch(request, { cache: "no-cache" });
    if (response.ok) await keep(address, response.clone());
    if (response.ok && address === FACTS) await dropUnlisted(response.clone());
    return response;
  } catch {
    return (await find(address)) ?? new Response("", { status: 504 });
  }
}

/** @param {Request} request @param {string} address */
async function cacheFirst(request, address) {
  const digest = (await listedDigests())[address.slice(`${BASE}data/`.length)]?.sha256;
  const key = digest && address.startsWith(`${BASE}data/`) ? keyOf(address, digest) : "";
  const isRefused = request.cache === "reload"; // what is kept, or on its way, was damaged
  const kept = key && !isRefused && (await find(key));
  if (kept) return kept;
  try {
    const response = await fetch(request, { cache: isRefused ? "reload" : "no-cache" });
    if (key && response.status === 200) await keep(key, response.clone());
    return response;
  } catch {
    return new Response("", { status: 504 });
  }
}

/** A part of a file, which a store would not take as what it is; the whole where a server has no Range. @param {Request} request @param {string} address @param {string} range */
async function partFirst(request, address, range) {
  const digest = (await listedDigests())[address.slice(`${BASE}data/`.length)]?.sha256;
  const whole = digest ? keyOf(address, digest) : "";
  const key = whole && `${whole}${PART}${range}`;
  const kept = key && (await find(key));
  if (kept) return new Response(await kept.arrayBuffer(), { status: 206 });
  const keptWhole = whole && (await find(whole));
  if (keptWhole) return keptWhole;
  try {
    const response = await fetch(request);
    if (key && response.status === 206) await keep(key, new Response(await response.clone().arrayBuffer()));
    if (whole && response.status === 200) await keep(whole, response.clone());
    return response;
  } catch {
    return new Response("", { status: 504 });
  }
}

/** @param {string} address @param {string} digest */
function keyOf(address, digest) {
  return `${address}?${digest}`;
}

/** What the newest page.json lists. @returns {Promise<Record<string, {sha256: string}>>} */
async function listedDigests() {
  try {
    return (await (await find(FACTS))?.json())?.files ?? {};
  } catch {
    return {};
  }
}

/** Data of a revision that is gone. @param {Response} response page.json */
async function dropUnlisted(response) {
  try {
    const { files } = await response.json();
    const listed = new Set(Object.keys(files).map((name) => keyOf(`${BASE}data/${name}`, files[name].sha256)));
    const cache = await caches.open(CACHE);
    const keys = (await cache.keys())
      .map(({ url }) => url)
      .filter((url) => url.startsWith(`${BASE}data/`) && url !== FACTS);
    await Promise.all(keys.filter((url) => !listed.has(url.split(PART)[0])).map((url) => cache.delete(url)));
  } catch {
    // page.json is damaged or storage is refused: what is kept is still checked against its digest before use
  }
}

/** @param {string} key */
async function find(key) {
  try {
    return await (await caches.open(CACHE)).match(key);
  } catch {
    return undefined; // storage is refused
  }
}

/** @param {string} key @param {Response} response */
async function keep(key, response) {
  try {
    await (await caches.open(CACHE)).put(key, response);
  } catch {
    // storage is full or refused: the page works, only not offline
  }
}
