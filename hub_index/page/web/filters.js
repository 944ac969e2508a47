// @ts-check
/** `lang:` and `since:`, as in hub_index/search/query/filters.py. */

import { firstChars, stripWhite } from "./white_space.js";

/** A language tag in lower case, or the eight digits of a day; empty where the text is neither. @param {string} field @param {string} text @param {number[]} days */
export function normalizeValue(field, text, days) {
  return field === "lang" ? normalizeTag(stripWhite(text)) : normalizeDay(stripWhite(text), days);
}

/** What a visitor should know whose filter was taken for plain text. @param {string} field @param {string} text @param {number} shown @returns {import("./parsed_query.js").Notice} */
export function explainValue(field, text, shown) {
  const cut = firstChars(text, shown);
  const value = `${field}:${cut}${cut === text ? "" : "…"}`;
  return { key: field === "lang" ? "noticeLang" : "noticeSince", value };
}

/** @param {string} text */
function normalizeTag(text) {
  const parts = text.toLowerCase().replaceAll("_", "-").split("-");
  const isTag =
    /^[\0-\x7f]*$/.test(text) && /^[a-z]{2,3}$/.test(parts[0]) && parts.every((part) => /^[a-z0-9]{1,8}$/.test(part));
  return isTag ? parts.join("-") : "";
}

/** `2026` and `2026-03` begin with their first day. @param {string} text @param {number[]} days */
function normalizeDay(text, days) {
  if (!/^[0-9]{4}(?:-[0-9]{2}){0,2}$/.test(text)) return "";
  const [year, month = 1, day = 1] = text.split("-").map(Number);
  if (month < 1 || month > 12 || day < 1 || day > days[month - 1]) return "";
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  if (month === 2 && day === 29 && !isLeap) return "";
  return String(year).padStart(4, "0") + String(month).padStart(2, "0") + String(day).padStart(2, "0");
}
