// @ts-check
/** The map on a canvas: points by cluster, zoom, move, and the skill under the pointer. */

import { make } from "./dom.js";
import { say } from "./strings.js";

const FINEST = 65_535;
const NEAR_PX = 14;
const CELLS = 64; // of the grid that finds the point under the pointer
const MARGIN = 0.04; // of each side: no point and no name stands at the edge
const MOST_ROUND = 4_000; // points that are drawn as discs; a square takes a third of the time

/** A canvas with one point a skill. */
export class MapCanvas {
  /** @param {{ids: string[], places: Uint32Array, clusters: Uint8Array}} data @param {string[]} names @param {(id: string) => void} open */
  constructor(data, names, open) {
    this.data = data;
    this.names = names;
    this.open = open;
    this.zoom = 1;
    this.centre = { x: 0.5, y: 0.5 };
    this.canvas = make("canvas", { tabindex: "0", role: "img", "aria-label": `${say("map")}. ${say("mapHelp")}` });
    this.label = make("p", { class: "map-label", "aria-live": "polite" }, "\u00a0");
    const buttons = make(
      "p",
      { class: "map-zoom" },
      button("+", say("zoomIn"), () => this.scale(1.5)),
      button("−", say("zoomOut"), () => this.scale(1 / 1.5)),
    );
    this.element = make("div", {}, make("div", { class: "map-frame" }, this.canvas, buttons), this.label);
    this.places = Float64Array.from(data.places, (place) => MARGIN + (place / FINEST) * (1 - 2 * MARGIN));
    this.grid = makeGrid(this.places);
    this.members = groupByCluster(data.clusters, names.length);
    this.centres = this.members.map((rows) => centreOf(rows, this.places));
    this.listen();
  }

  listen() {
    const { canvas } = this;
    /** @type {{x: number, y: number} | null} */
    let held = null;
    let hasMoved = false;
    canvas.addEventListener("pointerdown", (event) => {
      held = { x: event.offsetX, y: event.offsetY };
      hasMoved = false;
    });
    canvas.addEventListener("pointermove", (event) => {
      if (held && Math.hypot(event.offsetX - held.x, event.offsetY - held.y) > 4) {
        hasMoved = true;
        this.move(held.x - event.offsetX, held.y - event.offsetY);
        held = { x: event.offsetX, y: event.offsetY };
      } else if (!held) this.point(event.offsetX, event.offsetY);
    });
    canvas.addEventListener("pointerup", (event) => {
      const row = hasMoved ? -1 : this.nearest(event.offsetX, event.offsetY);
      held = null;
      if (row >= 0) this.open(this.data.ids[row]);
    });
    canvas.addEventListener("pointerleave", () => (held = null));
    canvas.addEventListener(
      "wheel",
      (event) => {
        if (!event.ctrlKey && !event.metaKey) return; // the wheel alone scrolls the page past the map
        event.preventDefault();
        this.scale(event.deltaY < 0 ? 1.2 : 1 / 1.2);
      },
      { passive: false },
    );
    canvas.addEventListener("keydown", (event) => this.onKey(event));
    new ResizeObserver(() => this.draw()).observe(canvas);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    const step = 40;
    const moves = /** @type {Record<string, [number, number]>} */ ({
      ArrowLeft: [-step, 0],
      ArrowRight: [step, 0],
      ArrowUp: [0, -step],
      ArrowDown: [0, step],
    });
    if (event.key === "+" || event.key === "=") this.scale(1.5);
    else if (event.key === "-") this.scale(1 / 1.5);
    else if (moves[event.key]) this.move(...moves[event.key]);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** @param {number} by */
  scale(by) {
    this.zoom = Math.min(60, Math.max(1, this.zoom * by));
    this.move(0, 0);
  }

  /** @param {number} x @param {number} y */
  move(x, y) {
    const half = 0.5 / this.zoom;
    const clamp = (/** @type {number} */ value) => Math.min(1 - half, Math.max(half, value));
    this.centre = {
      x: clamp(this.centre.x + x / this.width() / this.zoom),
      y: clamp(this.centre.y + y / this.height() / this.zoom),
    };
    this.draw();
  }

  /** @param {number} x @param {number} y */
  point(x, y) {
    const row = this.nearest(x, y);
    this.canvas.style.cursor = row >= 0 ? "pointer" : "grab";
    this.label.textContent = row >= 0 ? `${this.data.ids[row]} — ${this.names[this.data.clusters[row]]}` : "\u00a0";
  }

  width() {
    return this.canvas.clientWidth || 1;
  }

  height() {
    return this.canvas.clientHeight || 1;
  }

  /** The point under the pointer, or -1. @param {number} x @param {number} y */
  nearest(x, y) {
    const at = {
      x: this.centre.x + (x / this.width() - 0.5) / this.zoom,
      y: this.centre.y + (y / this.height() - 0.5) / this.zoom,
    };
    const reach = Math.ceil((NEAR_PX / Math.min(this.width(), this.height()) / this.zoom) * CELLS);
    let [best, bestDistance] = [-1, NEAR_PX];
    const [column, row] = [Math.floor(at.x * CELLS), Math.floor(at.y * CELLS)];
    for (let i = column - reach; i <= column + reach; i += 1) {
      for (let j = row - reach; j <= row + reach; j += 1) {
        for (const skill of this.grid.get(i * CELLS + j) ?? []) {
          const place = this.placeOf(skill);
          const distance = Math.hypot(place.x - x, place.y - y);
          if (distance < bestDistance) [best, bestDistance] = [skill, distance];
        }
      }
    }
    return best;
  }

  /** @param {number} skill */
  placeOf(skill) {
    return {
      x: ((this.places[2 * skill] - this.centre.x) * this.zoom + 0.5) * this.width(),
      y: ((this.places[2 * skill + 1] - this.centre.y) * this.zoom + 0.5) * this.height(),
    };
  }

  draw() {
    cancelAnimationFrame(this.frame ?? 0);
    this.frame = requestAnimationFrame(() => this.paint());
  }

  paint() {
    const ratio = devicePixelRatio || 1;
    const [width, height] = [this.width(), this.height()];
    if (this.canvas.width !== Math.round(width * ratio)) this.canvas.width = Math.round(width * ratio);
    if (this.canvas.height !== Math.round(height * ratio)) this.canvas.height = Math.round(height * ratio);
    const context = this.canvas.getContext("2d");
    if (!context) return;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    const isDark = matchMedia("(prefers-color-scheme: dark)").matches;
    this.members.forEach((rows, cluster) => {
      context.fillStyle = clusterColour(cluster, this.names.length, isDark);
      this.paintPoints(context, rows, width, height);
    });
    this.paintNames(context, width, height, isDark);
  }

  /** One colour's points. @param {CanvasRenderingContext2D} context @param {number[]} rows @param {number} width @param {number} height */
  paintPoints(context, rows, width, height) {
    const total = this.data.ids.length;
    const radius = Math.min(7, Math.max(1.5, (4 * Math.sqrt(this.zoom) * 30) / Math.sqrt(total + 900)));
    const isRound = total <= MOST_ROUND;
    const [scaleX, scaleY] = [this.zoom * width, this.zoom * height];
    const [left, top] = [this.centre.x * scaleX - width / 2, this.centre.y * scaleY - height / 2];
    if (isRound) context.beginPath();
    for (const row of rows) {
      const x = this.places[2 * row] * scaleX - left;
      const y = this.places[2 * row + 1] * scaleY - top;
      if (x < -radius || y < -radius || x > width + radius || y > height + radius) continue;
      if (isRound) {
        context.moveTo(x + radius, y);
        context.arc(x, y, radius, 0, 2 * Math.PI);
      } else context.fillRect(x - radius, y - radius, 2 * radius, 2 * radius);
    }
    if (isRound) context.fill();
  }

  /** @param {CanvasRenderingContext2D} context @param {number} width @param {number} height @param {boolean} isDark */
  paintNames(context, width, height, isDark) {
    context.font = "600 12px system-ui, sans-serif";
    context.textAlign = "center";
    /** @type {[number, number, number, number][]} */
    const taken = [];
    this.names.forEach((name, cluster) => {
      const centre = this.centres[cluster];
      if (!centre || !name) return;
      const x = ((centre.x - this.centre.x) * this.zoom + 0.5) * width;
      const y = ((centre.y - this.centre.y) * this.zoom + 0.5) * height;
      const half = context.measureText(name).width / 2 + 6;
      const box = /** @type {[number, number, number, number]} */ ([x - half, y - 11, x + half, y + 9]);
      const isFree = taken.every(
        ([left, top, right, bottom]) => box[2] < left || box[0] > right || box[3] < top || box[1] > bottom,
      );
      if (!isFree || box[0] < 0 || box[2] > width || box[1] < 0 || box[3] > height) return;
      taken.push(box);
      context.fillStyle = isDark ? "rgba(23, 28, 37, 0.6)" : "rgba(255, 255, 255, 0.65)";
      context.fillRect(box[0], box[1], box[2] - box[0], box[3] - box[1]);
      context.fillStyle = isDark ? "#e6eaf0" : "#1a222d";
      context.fillText(name, x, y + 4);
    });
  }
}

/** The skills of each cluster. @param {Uint8Array} clusters @param {number} total @returns {number[][]} */
function groupByCluster(clusters, total) {
  /** @type {number[][]} */
  const members = Array.from({ length: total }, () => []);
  clusters.forEach((cluster, row) => {
    members[cluster]?.push(row);
  });
  return members;
}

/** @param {number[]} rows @param {Float64Array} places */
function centreOf(rows, places) {
  if (!rows.length) return null;
  const sum = { x: 0, y: 0 };
  for (const row of rows) {
    sum.x += places[2 * row];
    sum.y += places[2 * row + 1];
  }
  return { x: sum.x / rows.length, y: sum.y / rows.length };
}

/** @param {number} cluster @param {number} total @param {boolean} isDark */
function clusterColour(cluster, total, isDark) {
  return `hsl(${Math.round((cluster * 360) / Math.max(1, total))} 65% ${isDark ? 65 : 42}%)`;
}

/** @param {Float64Array} places */
function makeGrid(places) {
  /** @type {Map<number, number[]>} */
  const grid = new Map();
  for (let skill = 0; skill < places.length / 2; skill += 1) {
    const key = Math.floor(places[2 * skill] * CELLS) * CELLS + Math.floor(places[2 * skill + 1] * CELLS);
    const cell = grid.get(key);
    if (cell) cell.push(skill);
    else grid.set(key, [skill]);
  }
  return grid;
}

/** @param {string} text @param {string} label @param {() => void} action */
function button(text, label, action) {
  return make("button", { type: "button", "aria-label": label, onclick: action }, text);
}
