// @ts-check
/** Search as you type: the box, its filters, the hits; the state stands in the address, so that it can be linked. */

import { byId, fill, highlight, make } from "./dom.js";
import { count, explain, languageName, say } from "./strings.js";

const PAUSE_MS = 60; // between a key and its search: typing goes on meanwhile
const SHOWN = 20;
const MODES = ["hybrid", "keyword", "semantic"];

/** The view of the search box and its hits. */
export class SearchView {
  /** @param {import("./engine_client.js").EngineClient} engine @param {any} facts @param {import("./model_switch.js").ModelSwitch} model */
  constructor(engine, facts, model) {
    this.engine = engine;
    this.model = model;
    this.total = facts.count;
    this.last = 0; // the newest search: an older answer that comes late is not shown
    this.selected = -1;
    this.input = make("input", {
      type: "search",
      id: "query",
      autocomplete: "off",
      spellcheck: "false",
      placeholder: say("placeholder"),
      "aria-label": say("searchLabel"),
      "aria-controls": "hits",
      oninput: () => this.onType(),
    });
    this.filters = {
      mode: select(
        say("mode"),
        MODES.map((mode) => [mode, say(/** @type {"keywordMode"} */ (`${mode}Mode`))]),
      ),
      kind: select(say("kind"), [
        ["", say("any")],
        ...facts.kinds.map((/** @type {"skill"} */ kind) => [kind, say(kind)]),
      ]),
      lang: select(say("language"), [
        ["", say("any")],
        ...facts.languages.filter(Boolean).map((/** @type {string} */ lang) => [lang, languageName(lang)]),
      ]),
      tag: field(say("tag"), "text"),
      path: field(say("folder"), "text"),
      since: field(say("since"), "date"),
    };
    for (const { control } of Object.values(this.filters)) control.addEventListener("change", () => this.onType(0));
    this.hits = make("ol", { id: "hits", class: "hits" });
    this.summary = make("p", { class: "summary" });
    this.rest = make("div");
    const row = make("div", { class: "filters" }, ...Object.values(this.filters).map(({ label }) => label));
    this.details = make("details", { class: "more" }, make("summary", {}, say("filters")), row);
    const controls = make("div", { class: "controls" }, this.details, this.model.element);
    this.element = make(
      "div",
      {},
      make("div", { role: "search" }, this.input, controls),
      this.summary,
      this.hits,
      this.rest,
    );
    model.onReady = () => this.search();
  }

  /** @param {URLSearchParams} parameters @param {{element: HTMLElement, show: () => Promise<void>}} overview */
  async show(parameters, overview) {
    this.overview = overview;
    if (this.input.value !== (parameters.get("q") ?? "")) this.input.value = parameters.get("q") ?? "";
    for (const [name, { control }] of Object.entries(this.filters))
      control.value = parameters.get(name) ?? (name === "mode" ? "hybrid" : "");
    if (
      Object.entries(this.filters).some(
        ([name, { control }]) => control.value && !(name === "mode" && control.value === "hybrid"),
      )
    )
      this.details.open = true;
    if (!this.element.isConnected) fill(byId("main"), this.element);
    if (document.activeElement === document.body) this.input.focus({ preventScroll: true });
    await this.search();
  }

  onType(pause = PAUSE_MS) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      history.replaceState(null, "", this.address());
      this.search();
    }, pause);
  }

  /** Where this search can be found again. */
  address() {
    const query = this.parameters().toString();
    return query ? `#/?${query}` : "#/";
  }

  parameters() {
    const parameters = new URLSearchParams();
    if (this.input.value.trim()) parameters.set("q", this.input.value);
    for (const [name, { control }] of Object.entries(this.filters)) {
      if (control.value && !(name === "mode" && control.value === "hybrid")) parameters.set(name, control.value);
    }
    return parameters;
  }

  async search() {
    this.last += 1;
    const number = this.last;
    const text = this.input.value.trim();
    const filters = Object.fromEntries(
      Object.entries(this.filters).map(([name, { control }]) => [name, control.value]),
    );
    const isFiltered = Object.entries(filters).some(([name, value]) => name !== "mode" && value);
    if (!text && !isFiltered) {
      fill(this.hits);
      this.summary.textContent = "";
      if (this.overview) fill(this.rest, this.overview.element);
      await this.overview?.show();
      return;
    }
    this.hits.setAttribute("aria-busy", "true");
    const mode = this.model.isReady && this.model.isWanted ? filters.mode : "keyword";
    try {
      const answer = await this.engine.call("search", { text, mode, filters, k: SHOWN });
      if (number === this.last) this.showAnswer(answer);
    } catch (error) {
      if (number === this.last) this.showFailure(/** @type {import("./engine_client.js").EngineError} */ (error));
    }
    // after the first answer, which needs little; whoever wants words alone pays for nothing else
    if (number === this.last && filters.mode !== "keyword") this.model.begin();
  }

  /** @param {any} answer */
  showAnswer(answer) {
    this.selected = -1;
    this.hits.setAttribute("aria-busy", "false");
    fill(this.rest);
    fill(this.summary, ...this.summaryOf(answer));
    fill(this.hits, ...answer.hits.map((/** @type {any} */ hit) => hitElement(hit)));
    byId("live").textContent = this.summary.textContent;
  }

  /** The box stays: another query may need other files. @param {import("./engine_client.js").EngineError} error */
  showFailure(error) {
    this.hits.setAttribute("aria-busy", "false");
    fill(this.rest);
    fill(this.hits);
    fill(this.summary, make("span", { class: "error", role: "alert" }, explain(error)));
  }

  /** @param {any} answer */
  summaryOf(answer) {
    const { hits, good, didYouMean, notices, unread } = answer;
    const weak = hits.filter((/** @type {any} */ hit) => hit.weak).length;
    const sentence = !hits.length
      ? !unread.length && say("noneFound") // or other words would be advised where a file is at fault
      : weak === hits.length
        ? say("noGoodMatch")
        : say(weak ? "foundAndWeaker" : "found", { count: count(good), total: count(this.total), weak: count(weak) });
    const offer =
      didYouMean &&
      make("a", { href: `#/?${new URLSearchParams({ q: didYouMean })}` }, say("didYouMean", { query: didYouMean }));
    const said = [
      sentence,
      ...notices.map((/** @type {import("./parsed_query.js").Notice} */ { key, ...values }) =>
        make("span", { class: "notice" }, say(key, values)),
      ),
      ...unread.map((/** @type {import("./engine_client.js").EngineError} */ error) =>
        make("span", { class: "error", role: "alert" }, explain(error)),
      ),
    ].filter(Boolean);
    return [...said.flatMap((part, at) => (at ? [" · ", part] : [part])), offer && " ", offer];
  }

  /** Slash goes to the box, arrows along the hits, Escape back. @param {KeyboardEvent} event */
  onKey(event) {
    const isTyping = event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement;
    if (event.key === "/" && !isTyping) {
      event.preventDefault();
      if (!this.input.isConnected) location.hash = "#/";
      this.input.focus();
      this.input.select();
    } else if (event.key === "Escape" && !this.input.isConnected) location.hash = this.address();
    else if (event.key === "Escape" && document.activeElement !== this.input) this.input.focus();
    else if (event.key === "Escape" && this.input.value) {
      this.input.value = "";
      this.onType(0);
    } else if ((event.key === "ArrowDown" || event.key === "ArrowUp") && this.input.isConnected) this.moveTo(event);
    else if (event.key === "Enter" && document.activeElement === this.input) this.links()[0]?.click();
  }

  /** @param {KeyboardEvent} event */
  moveTo(event) {
    const links = this.links();
    if (!links.length || event.target instanceof HTMLSelectElement) return;
    const at = links.indexOf(/** @type {HTMLAnchorElement} */ (document.activeElement));
    const next = event.key === "ArrowDown" ? at + 1 : at - 1;
    event.preventDefault();
    if (next < 0) this.input.focus();
    else links[Math.min(next, links.length - 1)].focus();
  }

  links() {
    return [...this.hits.querySelectorAll("a.name")].map((link) => /** @type {HTMLAnchorElement} */ (link));
  }
}

/** @param {any} hit */
export function hitElement(hit) {
  const why = hit.why?.length
    ? make(
        "details",
        { class: "why" },
        make("summary", {}, say("why")),
        make(
          "ul",
          {},
          ...hit.why.map(
            (/** @type {{key: import("./strings.js").Key, [value: string]: string}} */ { key, ...values }) =>
              make("li", {}, say(key, values)),
          ),
        ),
      )
    : null;
  return make(
    "li",
    { class: hit.weak ? "hit weak" : "hit" },
    make("a", { class: "name", href: skillAddress(hit.id) }, hit.name),
    hit.kind !== "skill" && make("span", { class: "kind" }, say(hit.kind)),
    make("span", { class: "path" }, placeOf(hit)),
    hit.weak && make("span", { class: "label" }, say("weak")),
    make("p", { dir: "auto", lang: hit.lang || undefined }, ...highlight(hit.snippet, hit.spans)),
    why,
  );
}

/** Where a skill stands in the hub: its own folder, or the file of a document, which shares one. @param {any} record */
export function placeOf({ kind, path, file }) {
  return kind === "skill" ? path : file || path;
}

/** @param {string} id */
export function skillAddress(id) {
  return `#/skill/${encodeURIComponent(id)}`;
}

/** @param {string} name @param {string[][]} options */
function select(name, options) {
  const control = make("select", {}, ...options.map(([value, text]) => make("option", { value }, text)));
  return { control, label: make("label", {}, make("span", {}, name), control) };
}

/** @param {string} name @param {string} type */
function field(name, type) {
  const control = make("input", { type });
  return { control, label: make("label", {}, make("span", {}, name), control) };
}
