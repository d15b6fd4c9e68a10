// Python in a worker, so that the page answers while it computes. The page starts this script from
// a blob: it then obeys the page's Content-Security-Policy, and can reach no other address.
"use strict";

let pyodide, bridge;

/** Count what is downloaded, for the progress bar. */
function watchDownloads(total) {
  const plain = self.fetch.bind(self);
  let loaded = 0;
  self.fetch = async (address, options) => {
    const response = await plain(address, options);
    if (!response.ok) throw new Error(`${address} could not be loaded: status ${response.status}`);
    const counted = new TransformStream({
      transform(chunk, controller) {
        loaded += chunk.byteLength;
        postMessage({ kind: "download", loaded, total });
        controller.enqueue(chunk);
      },
    });
    return new Response(response.body.pipeThrough(counted), response);
  };
}

async function bytes(address) {
  return new Uint8Array(await (await fetch(address)).arrayBuffer());
}

/** Load Python, numpy, the package and the bridge. */
async function start({ base, root, manifest }) {
  watchDownloads(manifest.bytes);
  importScripts(`${base}pyodide.js`);
  const archives = [
    bytes(`${base}${manifest.numpy}`), bytes(`${root}${manifest.wheel}`), fetch(`${root}bridge.py`),
  ];
  pyodide = await loadPyodide({ indexURL: base });
  // numpy asks who called before it reuses a large array, and does without where nobody answers.
  pyodide._module.mergeLibSymbols({ backtrace: () => 0 }, "backtrace");
  const [numpy, wheel, script] = await Promise.all(archives);
  pyodide.unpackArchive(numpy, "gztar", { extractDir: "/" });
  pyodide.unpackArchive(wheel, "wheel");
  pyodide.FS.writeFile("/home/pyodide/bridge.py", await script.text());
  postMessage({ kind: "starting" });
  bridge = pyodide.pyimport("bridge");
  const versions = pyodide.runPython(
    "import sys, numpy, stakes\n"
    + "f'stakes {stakes.__version__}, numpy {numpy.__version__}, Python {sys.version.split()[0]}'",
  );
  return { versions };
}

const TASKS = {
  start,
  evaluate({ request }) {
    return JSON.parse(bridge.evaluate(JSON.stringify(request)));
  },
  run: ({ code }) => JSON.parse(bridge.run(code)),
};

let last = Promise.resolve();
self.onmessage = ({ data }) => {
  last = last.then(async () => {
    try {
      postMessage({ kind: "done", id: data.id, result: await TASKS[data.task](data) });
    } catch (error) {
      postMessage({ kind: "failed", id: data.id, text: String(error.message ?? error) });
    }
  });
};
