/** Sums are rounded once, whichever way they take. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { fsum } from "../src/core/sums";

/** Return a number as a whole number of 2^-1074. */
function whole(value: number): bigint {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const exponent = (bits >> 52n) & 0x7ffn;
  const mantissa = (bits & 0xfffffffffffffn) | (exponent > 0n ? 1n << 52n : 0n);
  const size = mantissa << (exponent > 0n ? exponent - 1n : 0n);
  return bits >> 63n ? -size : size;
}

test("a sum is the number nearest to the exact sum", () => {
  let state = 11;
  const next = () => (state = (state * 16807) % 2147483647) / 2147483647;
  for (let i = 0; i < 2000; i++) {
    const n = 3 + Math.floor(next() * 60);
    const wide = i % 3 === 0 ? 40 : 2;
    const values = Array.from({ length: n }, () => (next() - (i % 2) / 2) * 2 ** (wide * next()));
    const exact = values.reduce((sum, value) => sum + whole(value), 0n);
    const found = fsum(values);
    const distance = (value: number) => {
      const gap = whole(value) - exact;
      return gap < 0n ? -gap : gap;
    };
    const step = Math.abs(found) * Number.EPSILON || 5e-324;
    for (const other of [found - step, found + step])
      if (other !== found) assert.ok(distance(found) <= distance(other), String(values));
  }
});
