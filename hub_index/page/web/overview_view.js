// @ts-check
/** The whole hub at a glance: counts, languages, problems, what changed last, and the map or a list of all skills. */

import { fill, make } from "./dom.js";
import { MapCanvas } from "./map_canvas.js";
import { skillAddress } from "./search_view.js";
import { count, languageName, say } from "./strings.js";

const SHOWN_RECENT = 8;
const SHOWN_LANGUAGES = 8; // the others are in the filter

/** The view below an empty search box. */
export class OverviewView {
  /** @param {import("./engine_client.js").EngineClient} engine @param {any} facts */
  constructor(engine, facts) {
    this.engine = engine;
    this.facts = facts;
    this.isShown = false;
    this.mapPlace = make("div", { class: "map" });
    const { overview } = facts;
    this.element = make(
      "section",
      { class: "overview", "aria-label": say("overview") },
      make("h2", {}, say("overview")),
      make("ul", { class: "tiles" }, ...kindTiles(overview.kinds), ...languageTiles(overview.languages)),
      make(
        "div",
        { class: "cards" },
        make(
          "section",
          {},
          make("h3", {}, say("recent")),
          make("ul", { class: "rows" }, ...overview.recent.slice(0, SHOWN_RECENT).map(recentItem)),
        ),
        make(
          "section",
          {},
          make("h3", {}, say("problems")),
          overview.problems.length
            ? make("ul", { class: "kinds" }, ...overview.problems.map(problemItem))
            : make("p", {}, say("noProblems")),
        ),
      ),
      make("h2", {}, say("map")),
      make("p", { class: "help" }, say("mapHelp")),
      this.mapPlace,
    );
  }

  /** Draws the map when it is first seen. */
  async show() {
    if (this.isShown) return;
    this.isShown = true;
    const data = await this.engine.call("map");
    const canvas = new MapCanvas(data, this.facts.clusters, (id) => {
      location.hash = skillAddress(id);
    });
    const list = clusterList(data, this.facts.clusters);
    list.hidden = true;
    const toggle = make("button", { type: "button" }, say("asList"));
    toggle.addEventListener("click", () => {
      list.hidden = !list.hidden;
      canvas.element.hidden = !list.hidden;
      toggle.textContent = say(list.hidden ? "asList" : "asMap");
    });
    fill(this.mapPlace, make("p", {}, toggle), canvas.element, list);
    canvas.draw();
  }
}

/** @param {any[]} entry */
function recentItem([id, name, updated]) {
  return make(
    "li",
    {},
    make("a", { href: skillAddress(id) }, name),
    make("span", { class: "aside" }, updated.slice(0, 10)),
  );
}

/** A kind of problem in the words of its first case, and the skills that have it. @param {any[]} entry */
function problemItem([level, code, number, cases]) {
  const [[, , reason]] = cases;
  const isSame = cases.every((/** @type {string[]} */ [, , other]) => other === reason);
  const links = cases.map((/** @type {string[]} */ [id, name, own]) =>
    make("li", {}, make("a", { href: skillAddress(id), title: own }, name)),
  );
  const others = number - cases.length;
  return make(
    "li",
    {},
    make(
      "details",
      {},
      make(
        "summary",
        { title: code },
        make("span", { class: `level ${level}` }, say(/** @type {"error"} */ (level))),
        make(
          "span",
          { dir: "auto", lang: isSame ? "en" : undefined },
          isSame ? reason : say("problemSuchAs", { reason }),
        ),
        make("span", { class: "aside" }, count(number)),
      ),
      make("ul", {}, ...links, others > 0 && make("li", {}, say("problemOthers", { count: count(others) }))),
    ),
  );
}

/** Kinds, the most common first; each leads to its skills. @param {Record<string, number>} kinds */
function kindTiles(kinds) {
  return byNumber(kinds).map(([kind, number]) =>
    tile(number, say(/** @type {"skillKind"} */ (`${kind}Kind`)), { kind }),
  );
}

/** @param {Record<string, number>} languages */
function languageTiles(languages) {
  return byNumber(languages)
    .slice(0, SHOWN_LANGUAGES)
    .map(([lang, number]) =>
      tile(
        number,
        lang === "?" ? say("unknownLanguage") : say("allInLanguage", { language: languageName(lang) }),
        lang === "?" ? null : { lang },
      ),
    );
}

/** @param {Record<string, number>} numbers */
function byNumber(numbers) {
  return Object.entries(numbers).sort((one, other) => other[1] - one[1]);
}

/** @param {number} number @param {string} text @param {Record<string, string> | null} filter */
function tile(number, text, filter) {
  const content = [make("strong", {}, count(number)), make("span", {}, text)];
  return make("li", {}, make("a", { href: filter ? `#/?${new URLSearchParams(filter)}` : undefined }, ...content));
}

/** Every skill under the name of its cluster: for those who cannot use a map. @param {any} data @param {string[]} names */
function clusterList(data, names) {
  const groups = names.map((name, cluster) => {
    const members = data.ids
      .map((/** @type {string} */ id, /** @type {number} */ at) => [id, at])
      .filter((/** @type {[string, number]} */ [, at]) => data.clusters[at] === cluster);
    const items = members.map((/** @type {[string, number]} */ [id]) =>
      make("li", {}, make("a", { href: skillAddress(id) }, id)),
    );
    return make("details", {}, make("summary", {}, `${name} (${count(members.length)})`), make("ul", {}, ...items));
  });
  return make("div", { class: "clusters" }, ...groups);
}
