/** Changes of the problem, and the file that it is saved as. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { outcome } from "../src/core/judge";
import { applicationFiles } from "../src/core/toml";
import type { Problem } from "../src/types";

const facts = { dataPriors: [0.7, 0.3], quantile: 1.96, noInterval: "", counts: [7, 3] };
const plain: Problem = {
  costs: [[0, 1], [5, 0]],
  decisions: ["no", "yes"],
  priors: [0.7, 0.3],
  fromData: true,
  adapt: false,
};

test("names in a file hide nothing", () => {
  const names = ["a\u202eb\x7f", "c\u{e0001}\u2028\ud800"];
  const about = { classes: names, names, scores: "posteriors" as const, reference: null };
  const [{ text }] = applicationFiles({ ...plain, decisions: names }, about);
  assert.doesNotMatch(text.replaceAll("\n", ""), /[\p{Cc}\p{Cf}\p{Zl}\p{Cs}]/u);
  assert.ok(text.includes('"a\\u202eb\\u007f", "c\\U000e0001\\u2028\ufffd"'), text);
});

test("costs whose squares overflow have no interval", () => {
  const counted = { counts: [[0, 7], [0, 3]], impossible: 0, samples: 10 };
  const found = outcome(counted, { ...plain, costs: [[0, 1], [1e308, 0]] }, facts);
  assert.equal(found.interval, null);
  assert.notEqual(outcome(counted, plain, facts).interval, null);
});
