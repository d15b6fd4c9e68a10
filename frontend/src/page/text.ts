/** Numbers made short, as `stakes._text.number` makes them: golden cases hold the two together. */

import { inGroups } from "../core/amounts";

/** Return a number with a sensible count of digits: 0.4667, 1200, 3.14e-07. */
export function number(value: number, digits = 4): string {
  if (isNaN(value)) return "undefined";
  if (!isFinite(value)) return value > 0 ? "∞" : "−∞";
  const size = Math.abs(value);
  const whole = Math.round(value);
  if (size < 1e15 && Math.abs(value - whole) <= 1e-12 * Math.max(size, Math.abs(whole)))
    return minus(value.toFixed(0));
  if (size >= 1e-3 && size < 1e6) {
    const decimals = Math.max(0, digits - Math.max(1, Math.floor(Math.log10(size)) + 1));
    return minus(value.toFixed(size >= 1 ? Math.max(decimals, 1) : digits));
  }
  return minus(value.toExponential(digits - 2).replace(/e([+-])(\d)$/, "e$10$2"));
}

/** Return a number as a field takes it: four digits below 1, six above and next to 1, ASCII. */
export function plainNumber(value: number): string {
  if (!isFinite(value)) return "";
  const text = (digits: number) => String(Number(value.toPrecision(digits)));
  const size = Math.abs(value);
  if (size >= 1) return text(6);
  if (size < 0.999) return text(4);
  return text(6) === "1" ? String(value) : text(6); // a share short of 1 is none of 1
}

/** Return a count with thin groups: 20,000; weights keep a digit. */
export function count(value: number): string {
  const digits = Number.isInteger(value) ? 0 : value < 1000 ? 1 : 0;
  const [head, rest] = String(Number(value.toFixed(digits))).split(".");
  return inGroups(head) + (rest ? `.${rest}` : "");
}

/** Return a share as a percentage: 93.0 %, 0.4 %. */
export function percent(share: number): string {
  if (isNaN(share)) return "–";
  const value = 100 * share;
  const size = Math.abs(value);
  const digits = size === 0 || size === 100 || size >= 1000 ? 0 : size < 0.1 ? 2 : 1;
  return `${minus(value.toFixed(digits))} %`;
}

/** Return an interval as "0.41 to 0.52". */
export function range(low: number, high: number): string {
  return `${number(low)} to ${number(high)}`;
}

/** Return a number with the true minus sign, and none before a 0. */
function minus(text: string): string {
  return text.replace(/^-(?=[0.]*$)/, "").replace(/^-/, "−");
}

/** Return a name that the user gave for use within a text, whose direction it leaves alone. */
export function apart(name: string): string {
  return `\u2068${name}\u2069`;
}

/** Return a share in percent as verdicts do, with a digit more where it would read as none or all of it. */
export function roundPercent(share: number): string {
  const near = Math.min(Math.abs(share - 1), Math.abs(share)) < 0.01 && share !== 0 && share !== 1;
  return `${minus((100 * share).toFixed(near ? 1 : 0))} %`;
}

/** Return an upper limit, rounded up to two significant digits. */
export function upperLimit(value: number): string {
  if (!(value > 0)) return "0";
  const digits = Math.max(0, 1 - Math.floor(Math.log10(value)));
  if (digits > 9) return number(value);
  return (Math.ceil(value * 10 ** digits - 1e-9) / 10 ** digits).toFixed(digits);
}

/** Return a number that may be a little off, and says so. */
export function about(value: number, sure: boolean, digits = 4): string {
  return `${sure ? "" : "about "}${number(value, digits)}`;
}
