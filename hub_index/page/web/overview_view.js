// @ts-check
/** The whole hub at a glance: counts, languages, problems, what changed last, and the map or a list of all skills. */

import { fill, make } from "./dom.js";
import { MapCanvas } from "./map_canvas.js";
import { skillAddress } from "./search_view.js";
import { count, say } from "./strings.js";

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
      make(
        "div",
        { class: "cards" },
        card(say("kind"), Object.entries(overview.kinds).map(([kind, number]) => [say(/** @type {"skill"} */ (kind)), number])),
        card(say("languages"), Object.entries(overview.languages)),
        card(say("problems"), overview.problems.map((/** @type {any[]} */ [level, code, number]) => [`${level}: ${code}`, number]), say("noProblems")),
        make("section", {}, make("h3", {}, say("recent")), make("ol", {}, ...overview.recent.map(recentItem))),
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
  return make("li", {}, make("a", { href: skillAddress(id) }, name), ` ${updated.slice(0, 10)}`);
}

/** @param {string} title @param {any[][]} rows @param {string} [empty] */
function card(title, rows, empty = "") {
  const list = make("dl", {}, ...rows.flatMap(([name, number]) => [make("dt", {}, name), make("dd", {}, count(number))]));
  return make("section", {}, make("h3", {}, title), rows.length ? list : make("p", {}, empty));
}

/** Every skill under the name of its cluster: for those who cannot use a map. @param {any} data @param {string[]} names */
function clusterList(data, names) {
  const groups = names.map((name, cluster) => {
    const members = data.ids.map((/** @type {string} */ id, /** @type {number} */ at) => [id, at]).filter((/** @type {[string, number]} */ [, at]) => data.clusters[at] === cluster);
    const items = members.map((/** @type {[string, number]} */ [id]) => make("li", {}, make("a", { href: skillAddress(id) }, id)));
    return make("details", {}, make("summary", {}, `${name} (${count(members.length)})`), make("ul", {}, ...items));
  });
  return make("div", { class: "clusters" }, ...groups);
}
