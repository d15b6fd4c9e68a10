/** Thresholds on the scores as they were delivered, with digits enough to be put into a system. */
import type { Payload, Problem } from "../types";
import { oddsShift } from "./shift";

const DIGITS = 6;

/** Return a threshold with six digits, counted from the nearer of 0 and 1 for a share, as `precise` of the library does. */
export function precise(value: number): string {
  if (value > 0.5 && value < 1) {
    const decimals = DIGITS - 1 - Math.floor(Math.log10(1 - value));
    return value.toFixed(Math.min(decimals, 17)).replace(/\.?0+$/, "");
  }
  const text = String(Number(value.toPrecision(DIGITS)));
  return text.replace(/e([+-])(\d)$/, "e$10$2").replace(/^-/, "−");
}

/** Say where a threshold on P(last class) lies on the delivered scores; empty if that is the same, or unknown. */
export function deliveredThreshold(p: number, problem: Problem, payload: Payload): string {
  const { live, form = "posterior" } = payload;
  if (payload.kind !== "evaluation" || live?.kind !== "levels" || !(p > 0 && p < 1)) return "";
  const shift = oddsShift(live.systems[0], problem, payload);
  const z = Math.log(p) - Math.log1p(-p) - shift;
  if (!isFinite(z)) return "";
  if (form === "llr") return `log likelihood ratio ${precise(z)}`;
  if (form === "log odds") return `delivered log odds ${precise(z)}`;
  const at = 1 / (1 + Math.exp(-z));
  if (form === "log posterior") return `delivered log posterior ${precise(Math.log(at))}`;
  return shift === 0 ? "" : `delivered posterior ${precise(at)}`;
}
