// @ts-check
/**
 * Offline after the first visit: what was loaded once is kept, by the revision of the hub. The page's own files and
 * page.json are asked for anew whenever there is a network; data files are only believed with the digests of page.json.
 */

const worker = /** @type {any} */ (globalThis);
const PREFIX = "hub-index-page-";
const CACHE = `${PREFIX}1`;
const FRAME = /(?:\/|\.html|\.js|\.css|\.svg|page\.json)$/;

worker.addEventListener("install", () => worker.skipWaiting());

worker.addEventListener("activate", (/** @type {any} */ event) => {
  event.waitUntil(
    caches.keys().then((names) => Promise.all(names.filter((name) => name.startsWith(PREFIX) && name !== CACHE).map((name) => caches.delete(name)))).then(() => worker.clients.claim()),
  );
});

worker.addEventListener("fetch", (/** @type {any} */ event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== worker.location.origin || request.headers.has("range")) return;
  event.respondWith(FRAME.test(url.pathname) ? networkFirst(request) : cacheFirst(request));
});

/** @param {Request} request */
async function networkFirst(request) {
  try {
    const response = await fetch(request);
    if (response.ok) await keep(request, response.clone());
    return response;
  } catch {
    return (await caches.match(request, { ignoreSearch: true })) ?? new Response("", { status: 504 });
  }
}

/** @param {Request} request */
async function cacheFirst(request) {
  const kept = request.cache === "reload" ? undefined : await caches.match(request);
  if (kept) return kept;
  try {
    const response = await fetch(request);
    if (response.ok && response.status === 200) await keep(request, response.clone());
    return response;
  } catch {
    return new Response("", { status: 504 });
  }
}

/** @param {Request} request @param {Response} response */
async function keep(request, response) {
  try {
    await (await caches.open(CACHE)).put(request, response);
  } catch {
    // storage is full or refused: the page works, only not offline
  }
}
