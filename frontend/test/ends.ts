/** Compares intervals by their width. */
import assert from "node:assert/strict";

const PART = 1e-6; // of the width
const ROUNDED = 1e-14; // of the largest end: an interval can be as narrow as rounding

/** Compare the ends of an interval; null where there is none. */
export function nearEnds(got: number[] | null, wanted: number[] | null, what: string, part = PART): void {
  if (got === null || wanted === null) return assert.ok(got === wanted, `${what}: got ${got}, wanted ${wanted}`);
  const allowed = part * (wanted[1] - wanted[0]) + ROUNDED * Math.max(...wanted.map(Math.abs));
  for (const end of [0, 1])
    assert.ok(Math.abs(got[end] - wanted[end]) <= allowed, `${what}: got ${got}, wanted ${wanted}`);
}
