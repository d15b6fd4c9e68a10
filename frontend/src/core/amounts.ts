/** Costs and counts in units of the reader, with as many digits as their interval justifies; as `stakes._amounts`. */

const MOST_DIGITS = 4;
const TIE = 1 + 1e-13; // what rounding may have taken from a tie
const FEW_DIGITS = 3; // of a value without an interval

export type Ends = [number, number] | null;

/** What one unit of cost is: 250 EUR; without a name a plain number. */
export interface Unit {
  name: string;
  scale: number;
}

/** Return how many decimals of a value its interval justifies; below 0, round to tens or more. */
export function decimalsOf(value: number, band: Ends): number {
  const size = Math.max(Math.abs(value), ...(band ?? []).map(Math.abs));
  if (!(size > 0 && isFinite(size))) return 0;
  const most = MOST_DIGITS - 1 - Math.floor(Math.log10(size));
  const half = band ? (band[1] - band[0]) / 2 : 0;
  if (!(half > 0)) return most - (MOST_DIGITS - FEW_DIGITS);
  return Math.min(most, 1 - Math.floor(Math.log10(half)));
}

/**
 * Return a value with so many decimals, in groups of thousands.
 *
 * Ties, up to rounding, go away from 0, so that a cost reads the same per case and per 1,000.
 */
export function amount(value: number, decimals: number): string {
  if (isNaN(value)) return "undefined";
  if (!isFinite(value)) return value > 0 ? "∞" : "−∞";
  if (Math.abs(value) >= 1e9 || decimals > 6)
    return value.toExponential(1).replace(/e([+-])(\d)$/, "e$10$2").replaceAll("-", "−");
  const step = 10 ** Math.abs(decimals);
  const size = decimals > 0 ? Math.abs(value) * step : Math.abs(value) / step;
  const steps = Math.floor(size * TIE + 0.5);
  const whole = decimals > 0 ? Math.floor(steps / step) : steps * step;
  const rest = decimals > 0 ? `.${String(steps % step).padStart(decimals, "0")}` : "";
  const sign = value < 0 && steps > 0 ? "−" : "";
  return `${sign}${inGroups(String(whole))}${rest}`;
}

/** Return digits in groups of thousands; the browser's own way takes long to load. */
export function inGroups(digits: string): string {
  return digits.replace(/\B(?=(\d{3})+$)/g, ",");
}

/** Return an amount without zeros after the point. */
export function bare(text: string): string {
  return text.includes(".") ? text.replace(/0+$/, "").replace(/\.$/, "") : text;
}

/** Return an amount with its unit, if it has a name. */
export function withUnit(text: string, unit: Unit): string {
  return unit.name ? `${text} ${unit.name}` : text;
}

/** Return a band in other units. */
export function scaled(band: Ends, by: number): Ends {
  return band && [by * band[0], by * band[1]];
}
