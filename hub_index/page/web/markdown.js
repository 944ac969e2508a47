// @ts-check
/**
 * Markdown → elements, for a text that nobody trusts: no raw HTML, no image, every link marked. A subset: headings,
 * paragraphs, lists, quotes, rules, tables, code, emphasis, links by reference. What is not understood stays as it is written.
 */

import { make, outwardLink } from "./dom.js";

const INLINE =
  /(`+)(.+?)\1|!?\[([^\]]*)\](?:\(([^()\s]*)[^)]*\)|\[([^\]]*)\])?|~~(.+?)~~|\*\*(.+?)\*\*|\b__(.+?)__\b|\*([^*\s][^*]*)\*|\b_([^_]+)_\b|(https?:\/\/[^\s<>)"'\]]+)/;
const DEFINITION = /^ {0,3}\[([^\]]+)\]:\s*<?([^\s<>]+)>?(?:\s+(?:"[^"]*"|'[^']*'|\([^)]*\)))?\s*$/; // [name]: address "title"
const UNDERLINE = /^ {0,3}(=+|-+)\s*$/; // of a heading
const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const MAX_DEPTH = 6;
const MAX_LINES = 5_000;
const MAX_INLINE_CHARS = 4_000; // of one paragraph: signs that are never closed would be looked for again and again

/**
 * @param {string} text
 * @param {(address: string) => string} resolve a relative link → its address in the hub, or ""
 */
export function renderMarkdown(text, resolve) {
  const { lines, named } = takeDefinitions(text.split("\n").slice(0, MAX_LINES));
  return make("div", { class: "markdown" }, ...blocks(lines, { resolve, named }, 0));
}

/** @typedef {{resolve: (address: string) => string, named: Map<string, string>}} Links addresses by the names that the text defines */

/** Lines without those that define a name for an address; code keeps its own. @param {string[]} lines */
function takeDefinitions(lines) {
  /** @type {Map<string, string>} */
  const named = new Map();
  const kept = [];
  let fence = "";
  for (const line of lines) {
    const definition = fence ? null : DEFINITION.exec(line);
    if (fence) fence = closesFence(line, fence) ? "" : fence;
    else fence = FENCE.exec(line)?.[1] ?? "";
    kept.push(definition ? "" : line);
    if (definition && !named.has(nameKey(definition[1]))) named.set(nameKey(definition[1]), definition[2]);
  }
  return { lines: kept, named };
}

/** @param {string} name */
function nameKey(name) {
  return name.trim().toLowerCase().replaceAll(/\s+/g, " ");
}

/** @param {string} line @param {string} fence */
function closesFence(line, fence) {
  return line.trim().startsWith(fence);
}

/** @param {string[]} lines @param {Links} links @param {number} depth @returns {HTMLElement[]} */
function blocks(lines, links, depth) {
  const made = [];
  for (let at = 0; at < lines.length; ) {
    const block = readBlock(lines, at, links, depth);
    if (block.element) made.push(block.element);
    at = block.next;
  }
  return made;
}

/** @typedef {{element: HTMLElement | null, next: number}} Block */

/** @param {string[]} lines @param {number} at @param {Links} links @param {number} depth @returns {Block} */
function readBlock(lines, at, links, depth) {
  const line = lines[at];
  if (!line.trim()) return { element: null, next: at + 1 };
  const fence = FENCE.exec(line);
  if (fence) return readCode(lines, at, fence[1]);
  const heading = /^(#{1,6})\s+(.*?)#*\s*$/.exec(line);
  if (heading) return { element: makeHeading(heading[1].length, heading[2], links), next: at + 1 };
  if (/^ {0,3}([-*_])(?:\s*\1){2,}\s*$/.test(line)) return { element: make("hr"), next: at + 1 };
  if (depth < MAX_DEPTH && /^ {0,3}>/.test(line)) return readQuote(lines, at, links, depth);
  if (depth < MAX_DEPTH && itemStart(line)) return readList(lines, at, links, depth);
  if (line.includes("|") && /^[\s|:-]*-[\s|:-]*$/.test(lines[at + 1] ?? "")) return readTable(lines, at, links);
  return readParagraph(lines, at, links);
}

/** @param {number} level @param {string} text @param {Links} links */
function makeHeading(level, text, links) {
  const name = /** @type {"h3"} */ (`h${Math.min(6, level + 2)}`); // the page's own title is above all of them
  return make(name, {}, ...inline(text, links));
}

/** @param {string[]} lines @param {number} at @param {string} fence @returns {Block} */
function readCode(lines, at, fence) {
  let end = at + 1;
  while (end < lines.length && !closesFence(lines[end], fence)) end += 1;
  const code = make("code", {}, lines.slice(at + 1, end).join("\n"));
  return { element: make("pre", { tabindex: "0" }, code), next: end + 1 };
}

/** @param {string[]} lines @param {number} at @param {Links} links @param {number} depth @returns {Block} */
function readQuote(lines, at, links, depth) {
  let end = at;
  while (end < lines.length && /^ {0,3}>/.test(lines[end])) end += 1;
  const inner = lines.slice(at, end).map((line) => line.replace(/^ {0,3}> ?/, ""));
  return { element: make("blockquote", {}, ...blocks(inner, links, depth + 1)), next: end };
}

/** @param {string} line */
function itemStart(line) {
  return /^(\s{0,12})(?:[-*+]|(\d{1,9})[.)])\s+/.exec(line);
}

/** @param {string[]} lines @param {number} at @param {Links} links @param {number} depth @returns {Block} */
function readList(lines, at, links, depth) {
  const first = /** @type {RegExpExecArray} */ (itemStart(lines[at]));
  const isOrdered = first[2] !== undefined;
  const indent = first[1].length;
  const items = [];
  let next = at;
  while (next < lines.length) {
    const start = itemStart(lines[next]);
    if (!start || start[1].length < indent || start[1].length > indent + 1 || (start[2] !== undefined) !== isOrdered)
      break;
    const inner = [lines[next].slice(start[0].length)];
    next += 1;
    while (next < lines.length && belongsToItem(lines, next, indent)) {
      inner.push(lines[next].slice(Math.min(start[0].length, lines[next].length - lines[next].trimStart().length)));
      next += 1;
    }
    items.push(make("li", {}, ...itemContent(inner, links, depth)));
  }
  return { element: make(isOrdered ? "ol" : "ul", {}, ...items), next };
}

/** @param {string[]} lines @param {number} at @param {number} indent */
function belongsToItem(lines, at, indent) {
  const line = lines[at];
  if (!line.trim())
    return /^\s/.test(lines[at + 1] ?? "") && lines[at + 1].length - lines[at + 1].trimStart().length > indent;
  return (
    line.length - line.trimStart().length > indent + 1 ||
    (!itemStart(line) && !/^(?:#|>|```|~~~)/.test(line.trimStart()) && /^\s/.test(line))
  );
}

/** An item of one line is its text; a longer one is blocks. @param {string[]} inner @param {Links} links @param {number} depth */
function itemContent(inner, links, depth) {
  const task = /^\[([ xX])\]\s+/.exec(inner[0]);
  const lines = task ? [`${task[1] === " " ? "☐" : "☑"} ${inner[0].slice(task[0].length)}`, ...inner.slice(1)] : inner;
  return lines.length === 1 ? inline(lines[0], links) : blocks(lines, links, depth + 1);
}

/** @param {string[]} lines @param {number} at @param {Links} links @returns {Block} */
function readTable(lines, at, links) {
  let end = at + 2;
  while (end < lines.length && lines[end].includes("|") && lines[end].trim()) end += 1;
  const head = cells(lines[at]).map((cell) => make("th", { scope: "col" }, ...inline(cell, links)));
  const rows = lines.slice(at + 2, end).map((line) => {
    const made = cells(line)
      .slice(0, head.length)
      .map((cell) => make("td", {}, ...inline(cell, links)));
    return make("tr", {}, ...made);
  });
  const table = make("table", {}, make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...rows));
  return { element: make("div", { class: "wide", tabindex: "0" }, table), next: end };
}

/** @param {string} line */
function cells(line) {
  return line
    .trim()
    .replace(/^\||\|$/g, "")
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll("\\|", "|"));
}

/** @param {string[]} lines @param {number} at @param {Links} links @returns {Block} */
function readParagraph(lines, at, links) {
  let end = at + 1;
  while (
    end < lines.length &&
    lines[end].trim() &&
    !UNDERLINE.test(lines[end]) &&
    !/^(?:#{1,6}\s| {0,3}(?:`{3,}|~{3,}|>))/.test(lines[end]) &&
    !itemStart(lines[end])
  )
    end += 1;
  const text = lines.slice(at, end).join(" ");
  const underline = UNDERLINE.exec(lines[end] ?? "");
  if (underline) return { element: makeHeading(underline[1][0] === "=" ? 1 : 2, text, links), next: end + 1 };
  return { element: make("p", {}, ...inline(text, links)), next: end };
}

/** @param {string} text @param {Links} links @param {number} [depth] @returns {(Node | string)[]} */
function inline(text, links, depth = 0) {
  const made = [];
  let rest = text;
  for (;;) {
    const found = depth < MAX_DEPTH && rest.length <= MAX_INLINE_CHARS ? INLINE.exec(rest) : null;
    if (!found) return [...made, rest];
    made.push(rest.slice(0, found.index), ...inlineNodes(found, links, depth));
    rest = rest.slice(found.index + found[0].length);
  }
}

/** @param {RegExpExecArray} found @param {Links} links @param {number} depth @returns {(Node | string)[]} */
function inlineNodes(found, links, depth) {
  const [, , code, label, address, name, struck, strong1, strong2, soft1, soft2, plain] = found;
  if (code !== undefined) return [make("code", {}, code)];
  if (plain !== undefined) return [outwardLink(plain, plain)];
  if (label !== undefined) {
    const target = address ?? links.named.get(nameKey(name || label));
    const inner = inline(label, links, depth + 1);
    if (target === undefined)
      return [found[0].startsWith("!") ? "![" : "[", ...inner, name === undefined ? "]" : `][${name}]`];
    const resolved = /^[a-z][a-z0-9+.-]*:/i.test(target) ? target : links.resolve(target);
    return [outwardLink(resolved, ...(label ? inner : [target]))];
  }
  if (struck) return [make("del", {}, ...inline(struck, links, depth + 1))];
  if (strong1 ?? strong2) return [make("strong", {}, ...inline(strong1 ?? strong2, links, depth + 1))];
  return [make("em", {}, ...inline(soft1 ?? soft2, links, depth + 1))];
}
