// @ts-check
/** One skill: what it says of itself, its text, its files, what is like it and what could be better. */

import { byId, fill, make, outwardLink } from "./dom.js";
import { installLine, quote } from "./install_line.js";
import { renderMarkdown } from "./markdown.js";
import { placeOf, skillAddress } from "./search_view.js";
import { languageName, say, size } from "./strings.js";

const RELATED = 6;

/** The view of a skill. */
export class SkillView {
  /** @param {import("./engine_client.js").EngineClient} engine @param {any} facts @param {() => string} back */
  constructor(engine, facts, back) {
    this.engine = engine;
    this.facts = facts;
    this.back = back;
  }

  /** @param {string} id */
  async show(id) {
    const skill = await this.engine.call("skill", { id });
    if (!skill) {
      fill(
        byId("main"),
        make("p", { class: "error", role: "alert" }, say("unknownSkill", { id })),
        backLink(this.back()),
      );
      return;
    }
    const related = make("ul", { class: "related" });
    const heading = make("h2", { tabindex: "-1", dir: "auto" }, skill.name);
    fill(
      byId("main"),
      make(
        "article",
        { class: "skill" },
        backLink(this.back()),
        heading,
        make("p", { class: "lead", dir: "auto", lang: skill.lang || undefined }, skill.description),
        facts(skill),
        this.actions(skill),
        this.text(skill),
        this.files(skill),
        problems(skill),
        make("section", {}, make("h3", {}, say("related")), related),
      ),
    );
    document.title = `${skill.name} · ${say("title", { hub: this.facts.hub })}`;
    heading.focus({ preventScroll: true });
    scrollTo(0, 0);
    const like = await this.engine.call("related", { id, k: RELATED });
    fill(
      related,
      ...like.map((/** @type {any} */ other) =>
        make(
          "li",
          {},
          make("a", { class: "name", href: skillAddress(other.id) }, other.name),
          make("p", { dir: "auto", lang: other.lang || undefined }, other.description),
        ),
      ),
    );
  }

  /** @param {any} skill */
  actions(skill) {
    const address = this.hubAddress(skill.file);
    const copies = [
      ["copyId", skill.id],
      ["copyPath", placeOf(skill)],
      ["copyAdd", installLine(skill)],
      [this.facts.cloneAddress ? "copyInstall" : "copyInstallInClone", this.copyLine(skill)],
    ];
    return make(
      "p",
      { class: "actions" },
      ...copies.filter(([, text]) => text).map(([label, text]) => copyButton(/** @type {"copyId"} */ (label), text)),
      address && outwardLink(address, say("inHub")),
    );
  }

  /** Works twice, and for any name; without an address, only at the root of a clone. @param {any} skill */
  copyLine(skill) {
    if (skill.kind !== "skill" || skill.path === ".") return "";
    const { cloneAddress, hubFolder } = this.facts;
    const folder = [hubFolder, skill.path].filter(Boolean).join("/");
    const place = `~/.claude/skills/${quote(skill.path.split("/").at(-1))}`;
    const copy = (/** @type {string} */ from) => `mkdir -p ${place} && cp -R -- ${quote(`${from}/.`)} ${place}`;
    if (!cloneAddress) return copy(folder);
    return `(cd "$(mktemp -d)" && git clone --depth 1 -- ${quote(cloneAddress)} hub && ${copy(`hub/${folder}`)})`;
  }

  /** @param {any} skill */
  text(skill) {
    if (skill.text === null) return make("p", {}, say("noText"));
    const resolve = (/** @type {string} */ address) =>
      address.startsWith("#") ? "" : this.hubAddress(joinPath(skill.path, address));
    if (!skill.text.trim()) return null;
    return make(
      "section",
      { class: "card", "aria-label": say("quoted"), lang: skill.lang || undefined },
      renderMarkdown(skill.text, resolve),
      skill.cut && make("p", {}, say("cutText")),
    );
  }

  /** @param {any} skill */
  files(skill) {
    if (!skill.files.length) return null;
    const items = skill.files.map((/** @type {[string, number]} */ [path, bytes]) => {
      const address = this.hubAddress(joinPath(skill.path, path));
      return make(
        "li",
        {},
        make("span", { class: "file" }, address ? outwardLink(address, path) : path),
        make("span", { class: "aside" }, size(bytes)),
      );
    });
    return make("section", {}, make("h3", {}, say("files")), make("ul", { class: "files rows" }, ...items));
  }

  /** A file in the hub's own web pages, at a revision where it is what this page shows. @param {string} file */
  hubAddress(file) {
    return this.facts.webAddress && file
      ? this.facts.webAddress.replace("{path}", file.split("/").map(encodeURIComponent).join("/"))
      : "";
  }
}

/** @param {string} address of the last search, or of the front */
function backLink(address) {
  return make("p", { class: "back" }, make("a", { href: address }, `← ${say("back")}`));
}

/** @param {any} skill */
function facts(skill) {
  const chips = skill.keywords.map((/** @type {string} */ word) =>
    make("a", { class: "chip", href: `#/?${new URLSearchParams({ tag: word })}` }, word),
  );
  /** @type {[string, import("./dom.js").Child[], string][]} */
  const rows = [
    ["id", [skill.id], "code"],
    [say("path"), [skill.file || skill.path], "code"],
    [say("language"), [skill.lang && languageName(skill.lang)], ""],
    [say("updated"), [skill.updated.slice(0, 10)], ""],
    [say("keywords"), chips, ""],
  ];
  return make(
    "dl",
    { class: "facts" },
    ...rows
      .filter(([, value]) => value[0])
      .flatMap(([name, value, kind]) => [make("dt", {}, name), make("dd", { class: kind }, ...value)]),
  );
}

/** @param {any} skill */
function problems(skill) {
  if (!skill.problems.length) return null;
  const items = skill.problems.map((/** @type {any} */ problem) =>
    make(
      "li",
      {},
      make("span", { class: `level ${problem.level}` }, say(/** @type {"error"} */ (problem.level))),
      problem.line ? `${say("lineNumber", { line: problem.line })}: ` : "",
      make("span", { lang: "en" }, problem.reason),
      make("p", { lang: "en" }, problem.fix),
    ),
  );
  return make("section", {}, make("h3", {}, say("problemsOfSkill")), make("ul", { class: "problems" }, ...items));
}

/** @param {"copyId" | "copyPath" | "copyAdd" | "copyInstall" | "copyInstallInClone"} label @param {string} text */
function copyButton(label, text) {
  const button = make("button", { type: "button", title: text }, say(label));
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = say("copied");
      byId("live").textContent = say("copied");
    } catch {
      prompt(say(label), text); // where the clipboard is refused, it can be copied by hand
    }
    setTimeout(() => (button.textContent = say(label)), 1500);
  });
  return button;
}

/** @param {string} folder @param {string} path */
function joinPath(folder, path) {
  const parts = [];
  for (const part of `${folder}/${path.split(/[?#]/)[0]}`.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "." && part !== "") parts.push(part);
  }
  return parts.join("/");
}
