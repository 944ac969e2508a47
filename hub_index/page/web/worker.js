// @ts-check
/** The engine in a thread of its own, so that typing never waits for a search: calls in, answers and progress out. */

import { Engine } from "./engine.js";

const engine = new Engine();
engine.onProgress = (done, total) => postMessage({ progress: { done, total } });

addEventListener("message", async ({ data }) => {
  const { number, method, given } = data;
  try {
    postMessage({ number, answer: await engine.call(method, given) });
  } catch (error) {
    postMessage({ number, error: describe(error) });
  }
});

/** @param {unknown} error */
function describe(error) {
  const { kind, file, message } = /** @type {{kind?: string, file?: string, message?: string}} */ (error);
  return { kind: kind ?? "failed", file: file ?? "", message: message ?? String(error) };
}
