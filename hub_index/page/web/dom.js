// @ts-check
/** Elements from plain values. A hub's words only ever become text nodes; nothing here takes HTML. */

/** @typedef {Node | string | null | undefined | false} Child */

/**
 * An element with attributes, listeners (`onclick`) and children.
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} name
 * @param {Record<string, string | boolean | ((event: Event) => void) | undefined>} [attributes]
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[T]}
 */
export function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(key.slice(2), value);
    else if (value === true) element.setAttribute(key, "");
    else if (value !== false && value !== undefined) element.setAttribute(key, value);
  }
  element.append(...present(children));
  return element;
}

/** @param {Element} element @param {...Child} children */
export function fill(element, ...children) {
  element.replaceChildren(...present(children));
}

/** @param {Child[]} children @returns {(Node | string)[]} */
function present(children) {
  return /** @type {(Node | string)[]} */ (
    children.filter((child) => child !== null && child !== undefined && child !== false)
  );
}

/** The element with that id, which the page holds. @param {string} id */
export function byId(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no ${id}`);
  return found;
}

/** Text with some of its stretches marked. @param {string} text @param {[number, number][]} spans sorted, apart */
export function highlight(text, spans) {
  /** @type {Child[]} */
  const parts = [];
  let at = 0;
  for (const [start, end] of spans) {
    parts.push(text.slice(at, start), make("mark", {}, text.slice(start, end)));
    at = end;
  }
  parts.push(text.slice(at));
  return parts;
}

/** A link that is only followed where it leads over http or to a mail. @param {string} address @param {...Child} children */
export function outwardLink(address, ...children) {
  return /^(?:https?:\/\/|mailto:)/i.test(address)
    ? make("a", { href: address, rel: "noopener noreferrer nofollow", target: "_blank", class: "outward" }, ...children)
    : make("span", {}, ...children);
}
