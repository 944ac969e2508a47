// @ts-check
/** The engine as the page calls it: in a Worker, or in the page itself where the browser has none. */

/** @typedef {{kind: string, file: string, message: string}} EngineError */

/** What the page calls; every answer is a promise. */
export class EngineClient {
  constructor() {
    /** @type {(done: number, total: number) => void} */
    this.onProgress = () => {};
    this.hasWorker = true;
    /** @type {Map<number, {resolve: (answer: any) => void, reject: (error: EngineError) => void}>} */
    this.waiting = new Map();
    this.number = 0;
    /** @type {Promise<(number: number, method: string, given: object) => void>} */
    this.sender = this.start();
  }

  /** @param {string} method @param {object} [given] @returns {Promise<any>} */
  async call(method, given = {}) {
    const send = await this.sender;
    this.number += 1;
    const number = this.number;
    return new Promise((resolve, reject) => {
      this.waiting.set(number, { resolve, reject });
      send(number, method, given);
    });
  }

  async start() {
    try {
      const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
      await new Promise((resolve, reject) => {
        worker.onerror = reject;
        worker.onmessage = resolve; // the first answer: it runs
        worker.postMessage({ number: 0, method: "ping", given: {} });
      });
      worker.onmessage = ({ data }) => this.receive(data);
      worker.onerror = null;
      return (/** @type {number} */ number, /** @type {string} */ method, /** @type {object} */ given) =>
        worker.postMessage({ number, method, given });
    } catch {
      this.hasWorker = false;
      return this.startInPage();
    }
  }

  async startInPage() {
    const { Engine } = await import("./engine.js");
    const engine = new Engine();
    engine.onProgress = (done, total) => this.onProgress(done, total);
    return (/** @type {number} */ number, /** @type {string} */ method, /** @type {object} */ given) => {
      engine.call(method, given).then(
        (answer) => this.receive({ number, answer }),
        (error) =>
          this.receive({
            number,
            error: { kind: error.kind ?? "failed", file: error.file ?? "", message: String(error.message ?? error) },
          }),
      );
    };
  }

  /** @param {{number?: number, answer?: any, error?: EngineError, progress?: {done: number, total: number}}} data */
  receive({ number, answer, error, progress }) {
    if (progress) {
      this.onProgress(progress.done, progress.total);
      return;
    }
    const waiting = this.waiting.get(number ?? -1);
    this.waiting.delete(number ?? -1);
    if (error) waiting?.reject(error);
    else waiting?.resolve(answer);
  }
}
