// Bundles the page's script and style into the Python package; with --test, the tests into build/;
// with --check, says whether the committed bundle is that of the sources.
import { readFile, readdir } from "node:fs/promises";
import { build } from "esbuild";

const here = (path) => new URL(path, import.meta.url).pathname;
const target = here("../src/stakes/report/");
const options = { bundle: true, charset: "utf8", legalComments: "none", logLevel: "warning" };

async function bundle(write) {
  const parts = [
    { entryPoints: [here("src/main.ts")], outfile: `${target}page.js`, format: "iife" },
    { entryPoints: [here("src/main_cases.ts")], outfile: `${target}page_of_cases.js`, format: "iife" },
    { entryPoints: [here("src/main_responses.ts")], outfile: `${target}page_of_responses.js`, format: "iife" },
    { entryPoints: [here("src/style.css")], outfile: `${target}page.css` },
  ];
  const built = [];
  for (const part of parts) {
    const common = { ...options, minify: true, target: ["chrome100", "firefox113", "safari16.4"] };
    built.push(await build({ ...common, ...part, write }));
  }
  return built.flatMap((one) => one.outputFiles ?? []);
}

async function check() {
  const stale = [];
  for (const file of await bundle(false)) {
    const committed = await readFile(file.path, "utf8").catch(() => "");
    if (committed !== file.text) stale.push(file.path);
  }
  if (stale.length > 0) {
    console.error(`stale: ${stale.join(", ")}; run 'npm run build' in frontend/ and commit`);
    process.exit(1);
  }
  console.log("the built script and style are those of the sources");
}

async function tests() {
  const names = (await readdir(here("test"))).filter((name) => name.endsWith(".test.ts"));
  const entryPoints = names.map((name) => here(`test/${name}`));
  const out = { outdir: here("build"), outExtension: { ".js": ".mjs" } };
  await build({ ...options, ...out, entryPoints, format: "esm", platform: "node" });
}

if (process.argv.includes("--check")) await check();
else if (process.argv.includes("--test")) await tests();
else await bundle(true);
