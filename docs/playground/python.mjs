// Python as the page sees it: a worker that is started when first needed, and stopped by Cancel.

import { megabytes } from "./table.mjs";

const SERVE = "This page must come from a web server: run `python -m http.server --directory site`.";
const FILL = "This copy of the site has no Python for the browser, so nothing can be computed here."
  + " Whoever builds the site adds it with `make playground`; or install the package on your machine.";

export class Python {
  versions = "";
  #manifest = null;
  #worker = null;
  #ready = null;
  #waiting = new Map();
  #next = 0;
  #onState;

  constructor({ onState }) {
    this.#onState = onState;
  }

  /** Return null where Python can be loaded, else why not. */
  async find() {
    if (location.protocol === "file:") return SERVE;
    const response = await fetch("manifest.json");
    this.#manifest = response.ok ? await response.json() : null;
    return this.possible ? null : FILL;
  }

  get possible() {
    return this.#manifest?.numpy != null;
  }

  get bytes() {
    return this.#manifest.bytes;
  }

  get busy() {
    return this.#waiting.size > 0;
  }

  /** Return the result of a task, or null where it failed or was cancelled. */
  async call(task, fields) {
    try {
      if (this.#worker === null) this.#ready = this.#start();
      await this.#ready;
      this.#show(task === "run" ? "Running …" : "Evaluating …");
      const result = await this.#post(task, fields);
      this.#show("", false);
      return result;
    } catch (error) {
      if (error.message === "cancelled") this.#show("Cancelled.", false);
      else {
        this.#stop(null);
        this.#show("", false, `Python stopped: ${error.message}`);
      }
      return null;
    }
  }

  cancel() {
    this.#stop(new Error("cancelled"));
  }

  async #start() {
    this.#show("Loading Python …");
    const script = await (await fetch("worker.js")).text();
    const address = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
    this.#worker = new Worker(address);
    this.#worker.onmessage = ({ data }) => this.#receive(data);
    this.#worker.onerror = (event) => this.#stop(new Error(event.message || "it did not load"));
    const root = new URL(".", location.href).href;
    const folder = document.querySelector("meta[name=pyodide]").content;
    const base = new URL(folder, root).href;
    this.versions = (await this.#post("start", { base, root, manifest: this.#manifest })).versions;
  }

  #post(task, fields) {
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#worker.postMessage({ task, id, ...fields });
    });
  }

  #receive(message) {
    if (message.kind === "download") {
      const { loaded, total } = message;
      this.#show(`Loading Python: ${megabytes(loaded)} of ${megabytes(total)}`, true, null, loaded / total);
    } else if (message.kind === "starting") this.#show("Starting Python …");
    else {
      const { resolve, reject } = this.#waiting.get(message.id);
      this.#waiting.delete(message.id);
      if (message.kind === "done") resolve(message.result);
      else reject(new Error(message.text));
    }
  }

  #stop(reason) {
    this.#worker?.terminate();
    this.#worker = null;
    const open = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject } of open) reject(reason);
  }

  #show(text, busy = true, fault = null, share = null) {
    this.#onState({ text, busy, fault, share });
  }
}
