// @ts-check
/** The page: reads the address, asks the engine, shows a view. Addresses: `#/?q=…&mode=…`, `#/skill/ID`. */

import { byId, fill, make } from "./dom.js";
import { EngineClient } from "./engine_client.js";
import { ModelSwitch } from "./model_switch.js";
import { OverviewView } from "./overview_view.js";
import { SearchView } from "./search_view.js";
import { SkillView } from "./skill_view.js";
import { count, explain, language, say } from "./strings.js";

const engine = new EngineClient();

async function start() {
  document.documentElement.lang = language;
  byId("skip").textContent = say("skip");
  fill(byId("main"), make("p", {}, say("loading")));
  const facts = await engine.call("open");
  const title = say("title", { hub: facts.hub });
  document.title = title;
  byId("home").textContent = title;
  byId("about").textContent = say("about", { count: count(facts.count), revision: facts.revision.slice(0, 12) });
  fill(
    byId("credits"),
    say("credits"),
    " ",
    facts.hasModel && say("creditsModel"),
    " ",
    facts.hasDictionary && say("creditsDictionary"),
    " ",
    make("a", { href: "licences.txt" }, say("licences")),
  );
  const model = new ModelSwitch(engine, facts);
  const search = new SearchView(engine, facts, model);
  const overview = new OverviewView(engine, facts);
  const skill = new SkillView(engine, facts, () => search.address());
  const show = async () => {
    const route = parseRoute(location.hash);
    try {
      if (!route.skill) document.title = [route.parameters.get("q"), title].filter(Boolean).join(" · ");
      if (route.skill) await skill.show(route.skill);
      else await search.show(route.parameters, overview);
    } catch (error) {
      showError(/** @type {import("./engine_client.js").EngineError} */ (error));
    }
  };
  addEventListener("hashchange", show);
  addEventListener("keydown", (event) => search.onKey(event));
  await show();
  if (!engine.hasWorker) byId("live").textContent = say("noWorker");
  registerServiceWorker().catch(() => {}); // without it, only offline use is lost
}

/** @param {string} hash */
function parseRoute(hash) {
  const skill = /^#\/skill\/(.+)$/.exec(hash);
  if (skill) return { skill: decode(skill[1]), parameters: new URLSearchParams() };
  return { skill: "", parameters: new URLSearchParams(hash.replace(/^#\/?\??/, "")) };
}

/** @param {string} text */
function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** One sentence that helps, in place of the view. @param {import("./engine_client.js").EngineError} error */
export function showError(error) {
  fill(
    byId("main"),
    make("p", { class: "error", role: "alert" }, explain(error)),
    make("p", {}, make("a", { href: "#/" }, say("back"))),
  );
}

/** Keeps the page for offline use: its files, and what this visit has loaded before the service worker took over. */
async function registerServiceWorker() {
  if (!("serviceWorker" in navigator && globalThis.isSecureContext)) return;
  const { serviceWorker } = navigator;
  const isFirst = !serviceWorker.controller;
  /** @type {Promise<ServiceWorker | null>} */
  const controller = new Promise((resolve) => {
    serviceWorker.addEventListener("controllerchange", () => resolve(serviceWorker.controller), { once: true });
  });
  const { installing } = await serviceWorker.register("service_worker.js");
  installing?.addEventListener("statechange", () => tellIfLost(installing), { once: true });
  if (isFirst) (await controller)?.postMessage({ loaded: await engine.call("listLoaded") });
}

/** The first change of a new service worker says whether it was installed. @param {ServiceWorker} installing */
function tellIfLost(installing) {
  if (installing.state === "redundant")
    console.error("hub-index: the page will not work offline, since not all of it could be kept");
}

start().catch((error) => showError(error));
