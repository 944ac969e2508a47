// @ts-check
/** Whether meaning is searched, too: the model's small part is loaded once, its size told, and the choice remembered. */

import { make } from "./dom.js";
import { say, size } from "./strings.js";

const REMEMBERED = "hub-index-model";

/** The switch beside the search box. */
export class ModelSwitch {
  /** @param {import("./engine_client.js").EngineClient} engine @param {any} facts */
  constructor(engine, facts) {
    this.engine = engine;
    this.facts = facts;
    this.isReady = false;
    this.isWanted = facts.hasModel && remembered() !== "off";
    /** @type {() => void} */
    this.onReady = () => {};
    this.state = make("span", { id: "model-state" });
    this.box = make("input", { type: "checkbox", id: "use-model", onchange: () => this.toggle() });
    this.box.checked = this.isWanted;
    engine.onProgress = (done, total) => {
      this.state.textContent = say("modelLoading", { done: size(done), size: size(total) });
    };
    this.element = facts.hasModel
      ? make("p", { class: "model" }, this.box, make("label", { for: "use-model" }, say("useModel")), " ", this.state)
      : make("p", { class: "model" }, say("modelAbsent"));
    this.state.textContent = this.isWanted ? "" : say("modelOffer", { size: size(facts.modelBytes ?? 0) });
  }

  /** Begins to load, once, if it is wanted. */
  async begin() {
    if (!this.isWanted || this.isReady || this.isLoading) return;
    this.isLoading = true;
    try {
      await this.engine.call("loadModel");
      this.isReady = true;
      this.state.textContent = say("modelReady");
      this.onReady();
    } catch (error) {
      const { message } = /** @type {import("./engine_client.js").EngineError} */ (error);
      this.state.textContent = say("modelFailed", { reason: message });
    } finally {
      this.isLoading = false;
    }
  }

  toggle() {
    this.isWanted = this.box.checked;
    remember(this.isWanted ? "on" : "off");
    this.state.textContent = this.isWanted ? "" : say("modelOff");
    if (this.isReady && this.isWanted) this.state.textContent = say("modelReady");
    this.onReady();
    this.begin();
  }

  /** @type {boolean} */
  isLoading = false;
}

function remembered() {
  try {
    return localStorage.getItem(REMEMBERED);
  } catch {
    return null; // storage is refused: the choice lasts as long as the page
  }
}

/** @param {string} value */
function remember(value) {
  try {
    localStorage.setItem(REMEMBERED, value);
  } catch {
    // as above
  }
}
