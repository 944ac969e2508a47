// @ts-check
/** Whether meaning is searched, too: the model's small part is loaded once, its size told, and the choice remembered. */

import { make } from "./dom.js";
import { explain, say, size } from "./strings.js";

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
      this.tell("loading", say("modelLoading", { done: size(done), size: size(total) }));
    };
    this.element = facts.hasModel
      ? make("p", { class: "model" }, make("label", {}, this.box, say("useModel")), this.state)
      : make("p", { class: "model" }, say("modelAbsent"));
    this.showIdle();
  }

  /** What is told while nothing is loaded: the size of what would be. */
  showIdle() {
    this.tell(
      this.isWanted ? "idle" : "off",
      this.isWanted ? size(this.facts.modelBytes ?? 0) : say("modelOffer", { size: size(this.facts.modelBytes ?? 0) }),
    );
  }

  /** @param {"idle" | "off" | "loading" | "ready" | "failed"} state @param {string} sentence */
  tell(state, sentence) {
    this.state.dataset.state = state;
    this.state.textContent = sentence;
  }

  /** Begins to load, once, if it is wanted. */
  async begin() {
    if (!this.isWanted || this.isReady || this.isLoading) return;
    this.isLoading = true;
    try {
      await this.engine.call("loadModel");
      this.isReady = true;
      this.tell(this.isWanted ? "ready" : "off", say(this.isWanted ? "modelReady" : "modelOff"));
      this.onReady();
    } catch (error) {
      const failure = /** @type {import("./engine_client.js").EngineError} */ (error);
      this.tell("failed", say("modelFailed", { reason: explain(failure) }));
    } finally {
      this.isLoading = false;
    }
  }

  toggle() {
    this.isWanted = this.box.checked;
    remember(this.isWanted ? "on" : "off");
    if (!this.isReady) this.showIdle();
    else this.tell(this.isWanted ? "ready" : "off", say(this.isWanted ? "modelReady" : "modelOff"));
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
