// The pure functions of the playground, run by node: tests/test_playground.py.

import assert from "node:assert/strict";
import { test } from "node:test";

import {
  classesOf, delimiterOf, guess, isNumeric, lineRange, listOf, matrixOf, megabytes, priorsOf,
  recordsOf, tableOf,
} from "../docs/playground/table.mjs";

test("columns, with the line of each row", () => {
  const table = tableOf("y,p\na,0.1\n\nb,0.9\n");
  assert.deepEqual(table.names, ["y", "p"]);
  assert.deepEqual(table.columns, { y: ["a", "b"], p: ["0.1", "0.9"] });
  assert.deepEqual(table.lines, [2, 4]);
});

test("line ends of every system, a byte order mark, no line end at the end", () => {
  for (const text of ["y,p\na,1\nb,2", "y,p\r\na,1\r\nb,2\r\n", "y,p\ra,1\rb,2", "\uFEFFy,p\na,1\nb,2\n"]) {
    const { names, columns, lines } = tableOf(text);
    assert.deepEqual([names, columns.p, lines], [["y", "p"], ["1", "2"], [2, 3]]);
  }
});

test("quoted fields hold delimiters, quotes and lines", () => {
  const table = tableOf('y,note\n"a, b","says ""no""\nand more"\nc,""\n');
  assert.deepEqual(table.columns, { y: ["a, b", "c"], note: ['says "no"\nand more', ""] });
  assert.deepEqual(table.lines, [2, 4]);
});

test("a quote within a field is a sign like any other", () => {
  assert.deepEqual(recordsOf('5" pipe,1', ",")[0].fields, ['5" pipe', "1"]);
});

test("the delimiter is found outside quotes", () => {
  assert.equal(delimiterOf("y;p\n1,5;2"), ";");
  assert.equal(delimiterOf("y\tp"), "\t");
  assert.equal(delimiterOf('"a;b;c",p'), ",");
  assert.equal(delimiterOf("y"), ",");
});

test("faults name their line", () => {
  const faults = [
    ["", /no table/, null],
    ["y,p\n", /header and no rows/, 1],
    ["y,y\n1,2\n", /Two columns are called 'y'/, 1],
    ["y,p\na,1\nb\n", /Line 3 has 1 field; the header has 2/, 3],
    ["y,p\na,1,2\n", /Line 2 has 3 fields; the header has 2/, 2],
    ['y,p\na,1\n"b,2\n', /quote that opens on line 3 does not close/, 3],
  ];
  for (const [text, message, line] of faults) {
    assert.throws(() => tableOf(text), (error) => message.test(error.message) && error.line === line);
  }
});

test("classes are sorted as numbers or as texts", () => {
  assert.deepEqual(classesOf(["10", "9", "10"]), ["9", "10"]);
  assert.deepEqual(classesOf(["b", "a", "10"]), ["10", "a", "b"]);
});

test("labels and scores are guessed", () => {
  const rows = Array.from({ length: 40 }, (_, i) => `${i},${i % 2 ? "yes" : "no"},${i / 40}`);
  const table = tableOf(`id,truth,p\n${rows.join("\n")}`);
  assert.deepEqual(guess(table), { label: "truth", scores: ["p"] });
  assert.equal(isNumeric(["1", ""]), false);
  assert.equal(isNumeric(["1e-3", "-2"]), true);
});

test("what people type", () => {
  assert.deepEqual(listOf(" a, b ,,c"), ["a", "b", "c"]);
  assert.deepEqual(matrixOf([["0", "1.5"], ["20", "0"]]), [[0, 1.5], [20, 0]]);
  assert.throws(() => matrixOf([["0", "much"]]), /must be a number: got 'much'/);
  assert.throws(() => matrixOf([["0", ""]]), /must be a number/);
  assert.equal(priorsOf(["", " "]), null);
  assert.deepEqual(priorsOf(["0.9", "0.1"]), [0.9, 0.1]);
  assert.throws(() => priorsOf(["0.9", ""]), /every class a prior/);
});

test("sizes and lines", () => {
  assert.equal(megabytes(17_057_338), "17 MB");
  assert.equal(megabytes(117_000), "0.1 MB");
  assert.deepEqual(lineRange("ab\ncd\r\ne", 2), [3, 5]);
  assert.deepEqual(lineRange("ab\ncd\r\ne", 3), [7, 8]);
  assert.deepEqual(lineRange("ab", 1), [0, 2]);
});
