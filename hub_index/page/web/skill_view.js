// @ts-check
/** One skill: what it says of itself, its text, its files, what is like it and what could be better. */

import { byId, fill, make, outwardLink } from "./dom.js";
import { renderMarkdown } from "./markdown.js";
import { skillAddress } from "./search_view.js";
import { say, size } from "./strings.js";

const RELATED = 6;

/** The view of a skill. */
export class SkillView {
  /** @param {import("./engine_client.js").EngineClient} engine @param {any} facts */
  constructor(engine, facts) {
    this.engine = engine;
    this.facts = facts;
  }

  /** @param {string} id */
  async show(id) {
    const skill = await this.engine.call("skill", { id });
    if (!skill) {
      fill(byId("main"), make("p", { role: "alert" }, say("unknownSkill", { id })), backLink());
      return;
    }
    const related = make("ul", { class: "related" });
    const heading = make("h2", { tabindex: "-1" }, skill.name);
    fill(
      byId("main"),
      make("article", { class: "skill" }, backLink(), heading, make("p", { class: "lead" }, skill.description), facts(skill), this.actions(skill), this.text(skill), this.files(skill), problems(skill), make("section", {}, make("h3", {}, say("related")), related)),
    );
    document.title = skill.name;
    heading.focus({ preventScroll: true });
    scrollTo(0, 0);
    const like = await this.engine.call("related", { id, k: RELATED });
    fill(related, ...like.map((/** @type {any} */ other) => make("li", {}, make("a", { href: skillAddress(other.id) }, other.name), " — ", other.description)));
  }

  /** @param {any} skill */
  actions(skill) {
    const address = this.hubAddress(skill.file);
    const copies = [
      ["copyId", skill.id],
      ["copyPath", skill.path],
      ["copyInstall", this.installLine(skill)],
    ];
    return make(
      "p",
      { class: "actions" },
      ...copies.filter(([, text]) => text).map(([label, text]) => copyButton(/** @type {"copyId"} */ (label), text)),
      address && outwardLink(address, say("inHub")),
    );
  }

  /** @param {any} skill */
  installLine(skill) {
    if (skill.kind !== "skill" || skill.path === ".") return "";
    const folder = skill.path.split("/").at(-1);
    return `mkdir -p ~/.claude/skills && cp -r ${quote(skill.path)} ~/.claude/skills/${quote(folder)}`;
  }

  /** @param {any} skill */
  text(skill) {
    if (skill.text === null) return make("p", {}, say("noText"));
    const resolve = (/** @type {string} */ address) => (address.startsWith("#") ? "" : this.hubAddress(joinPath(skill.path, address)));
    return make("section", { "aria-label": say("quoted") }, renderMarkdown(skill.text, resolve), skill.cut && make("p", {}, say("cutText")));
  }

  /** @param {any} skill */
  files(skill) {
    if (!skill.files.length) return null;
    const items = skill.files.map((/** @type {[string, number]} */ [path, bytes]) => {
      const address = this.hubAddress(joinPath(skill.path, path));
      return make("li", {}, address ? outwardLink(address, path) : path, ` ${size(bytes)}`);
    });
    return make("section", {}, make("h3", {}, say("files")), make("ul", { class: "files" }, ...items));
  }

  /** A file in the hub's own web pages, at the revision of this page. @param {string} file */
  hubAddress(file) {
    return this.facts.webAddress && file ? this.facts.webAddress.replace("{path}", file.split("/").map(encodeURIComponent).join("/")) : "";
  }
}

function backLink() {
  return make("p", {}, make("a", { href: "#/", onclick: (event) => (history.length > 1 ? (event.preventDefault(), history.back()) : undefined) }, `← ${say("back")}`));
}

/** @param {any} skill */
function facts(skill) {
  const rows = [
    ["id", skill.id],
    [say("path"), skill.file || skill.path],
    [say("language"), skill.lang],
    [say("updated"), skill.updated.slice(0, 10)],
    [say("keywords"), skill.keywords.join(", ")],
  ];
  return make("dl", {}, ...rows.filter(([, value]) => value).flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, value)]));
}

/** @param {any} skill */
function problems(skill) {
  if (!skill.problems.length) return null;
  const items = skill.problems.map((/** @type {any} */ problem) => make("li", { class: problem.level }, `${problem.line || ""} ${problem.reason}; ${problem.fix}`.trim()));
  return make("section", {}, make("h3", {}, say("problemsOfSkill")), make("ul", { class: "problems" }, ...items));
}

/** @param {"copyId" | "copyPath" | "copyInstall"} label @param {string} text */
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

/** A word for a shell. @param {string} text */
function quote(text) {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
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
