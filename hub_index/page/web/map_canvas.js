// @ts-check
/** The map on a canvas: points by cluster, zoom, move, and the skill under the pointer. */

import { make } from "./dom.js";
import { say } from "./strings.js";

const FINEST = 65_535;
const NEAR_PX = 14;
const CELLS = 64; // of the grid that finds the point under the pointer

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
    const buttons = make("p", { class: "map-zoom" }, button("+", say("zoomIn"), () => this.scale(1.5)), button("−", say("zoomOut"), () => this.scale(1 / 1.5)));
    this.element = make("div", {}, this.canvas, buttons, this.label);
    this.grid = makeGrid(data.places);
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
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.scale(event.deltaY < 0 ? 1.2 : 1 / 1.2);
    }, { passive: false });
    canvas.addEventListener("keydown", (event) => this.onKey(event));
    new ResizeObserver(() => this.draw()).observe(canvas);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    const step = 40;
    const moves = /** @type {Record<string, [number, number]>} */ ({ ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] });
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
    this.centre = { x: clamp(this.centre.x + x / this.width() / this.zoom), y: clamp(this.centre.y + y / this.height() / this.zoom) };
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
    const at = { x: this.centre.x + (x / this.width() - 0.5) / this.zoom, y: this.centre.y + (y / this.height() - 0.5) / this.zoom };
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
    const { places } = this.data;
    return {
      x: ((places[2 * skill] / FINEST - this.centre.x) * this.zoom + 0.5) * this.width(),
      y: ((places[2 * skill + 1] / FINEST - this.centre.y) * this.zoom + 0.5) * this.height(),
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
    const radius = Math.min(7, Math.max(1.5, (4 * Math.sqrt(this.zoom) * 30) / Math.sqrt(this.data.ids.length + 900)));
    for (let skill = 0; skill < this.data.ids.length; skill += 1) {
      const { x, y } = this.placeOf(skill);
      if (x < -radius || y < -radius || x > width + radius || y > height + radius) continue;
      context.fillStyle = clusterColour(this.data.clusters[skill], this.names.length, isDark);
      context.fillRect(x - radius, y - radius, 2 * radius, 2 * radius);
    }
    this.paintNames(context, width, height, isDark);
  }

  /** @param {CanvasRenderingContext2D} context @param {number} width @param {number} height @param {boolean} isDark */
  paintNames(context, width, height, isDark) {
    context.font = "600 12px system-ui, sans-serif";
    context.textAlign = "center";
    /** @type {[number, number, number, number][]} */
    const taken = [];
    this.names.forEach((name, cluster) => {
      const place = this.clusterCentre(cluster);
      if (!place || !name) return;
      const half = context.measureText(name).width / 2 + 4;
      const box = /** @type {[number, number, number, number]} */ ([place.x - half, place.y - 10, place.x + half, place.y + 8]);
      const isFree = taken.every(([left, top, right, bottom]) => box[2] < left || box[0] > right || box[3] < top || box[1] > bottom);
      if (!isFree || box[0] < 0 || box[2] > width || box[1] < 0 || box[3] > height) return;
      taken.push(box);
      context.fillStyle = isDark ? "rgba(16, 20, 27, 0.8)" : "rgba(255, 255, 255, 0.85)";
      context.fillRect(box[0], box[1], box[2] - box[0], box[3] - box[1]);
      context.fillStyle = isDark ? "#e8ecf2" : "#1b2430";
      context.fillText(name, place.x, place.y + 4);
    });
  }

  /** @param {number} cluster */
  clusterCentre(cluster) {
    let [x, y, number] = [0, 0, 0];
    for (let skill = 0; skill < this.data.ids.length; skill += 1) {
      if (this.data.clusters[skill] !== cluster) continue;
      const place = this.placeOf(skill);
      [x, y, number] = [x + place.x, y + place.y, number + 1];
    }
    return number ? { x: x / number, y: y / number } : null;
  }
}

/** @param {number} cluster @param {number} total @param {boolean} isDark */
function clusterColour(cluster, total, isDark) {
  return `hsl(${Math.round((cluster * 360) / Math.max(1, total))} 65% ${isDark ? 65 : 42}%)`;
}

/** @param {Uint32Array} places */
function makeGrid(places) {
  /** @type {Map<number, number[]>} */
  const grid = new Map();
  for (let skill = 0; skill < places.length / 2; skill += 1) {
    const key = Math.floor((places[2 * skill] / FINEST) * CELLS) * CELLS + Math.floor((places[2 * skill + 1] / FINEST) * CELLS);
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
