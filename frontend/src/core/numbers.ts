/** Numbers as people type them: 3.5, 3,5, 1/3, 20 %, 1e3, 1 000, 1'000. What can be read in two ways is refused. */

/** A number that was understood, or a sentence that says why it was not. */
export type TypedNumber = { value: number } | { refused: string };

const MINUS = /[\u2010-\u2014\u2212\ufe58\ufe63\uff0d]/gu;
const SPACE = /[\s\u00a0\u2000-\u200a\u202f\u205f\u3000]/u;
const ZEROS = ["\u0660", "\u06f0", "\u0966", "\u09e6", "\u0e50"].map((zero) => zero.codePointAt(0)!);
const ARABIC: Record<string, string> = { "\u066a": "%", "\u066b": ",", "\u066c": "'", "\u060c": "," };
const GROUPED = /^[1-9]\d{0,2}(?:([ '_])\d{3})(?:\1\d{3})*$/;
const HOW = "Write numbers like 3.5, 1/3, 20 % or 1e3";

/** Read a number. */
export function readNumber(text: string): TypedNumber {
  const typed = text.trim();
  if (typed === "") return { refused: `The field is empty. ${HOW}.` };
  const plain = plainText(typed);
  const parts = /^(.*?)\s*(%?)$/su.exec(plain)!;
  const [over, under, ...more] = parts[1].split("/").map((part) => part.trim());
  if (more.length > 0) return notUnderstood(typed);
  const first = decimal(over, typed);
  const second = under === undefined ? { value: 1 } : decimal(under, typed);
  if ("refused" in first) return first;
  if ("refused" in second) return second;
  if (second.value === 0) return { refused: `“${shortened(typed)}” divides by 0.` };
  const value = first.value / second.value / (parts[2] === "%" ? 100 : 1);
  const lost = value === 0 && first.value !== 0;
  if (lost || !isFinite(value)) return { refused: `“${shortened(typed)}” is too ${lost ? "small" : "large"}.` };
  return { value: value + 0 };
}

/** Return a text with plain digits, signs and spaces; superscripts and the like stay, and are refused. */
function plainText(text: string): string {
  const one = (character: string): string => {
    if (/[\u2018\u2019\u02bc]/u.test(character)) return "'";
    if (SPACE.test(character)) return " ";
    if (ARABIC[character]) return ARABIC[character];
    if (!/\p{Nd}|[\uff01-\uff5e]/u.test(character)) return character;
    const code = character.codePointAt(0)!;
    const zero = ZEROS.find((from) => code >= from && code < from + 10);
    return zero === undefined ? character.normalize("NFKC") : String(code - zero);
  };
  return Array.from(text, one).join("").replace(MINUS, "-");
}

/** Read a number without a fraction bar or a percent sign. */
function decimal(text: string, typed: string): TypedNumber {
  const [, sign, body, exponent] =
    /^([+-]?) ?([\d.,' _]+?)(e[+-]?\d+)?$/iu.exec(text) ?? [];
  if (body === undefined) return notUnderstood(typed);
  const readings = readingsOf(body);
  if (readings.length === 0) return notUnderstood(typed);
  const values = readings.map((one) => Number(`${sign}${one}${exponent ?? ""}`));
  if (values.length > 1) {
    const [one, other] = values.map((value) => String(value).replace("-", "−"));
    return {
      refused: `“${shortened(typed)}” could mean ${one} or ${other}. Write one of these.`,
    };
  }
  const lost = values[0] === 0 && /[1-9]/.test(body);
  if (lost || !isFinite(values[0]))
    return { refused: `“${shortened(typed)}” is too ${lost ? "small" : "large"}.` };
  return { value: values[0] };
}

/**
 * Return what digits with separators can stand for, as JavaScript writes numbers.
 *
 * A point alone is a decimal point, as everywhere on the page. A comma alone is a decimal comma,
 * unless three digits follow and it may separate thousands just as well.
 */
function readingsOf(body: string): string[] {
  const points = body.split(".").length - 1;
  const commas = body.split(",").length - 1;
  if (points > 0 && commas > 0) {
    const last = body.lastIndexOf(".") > body.lastIndexOf(",") ? "." : ",";
    const [whole, rest, ...more] = body.split(last);
    return more.length === 0 ? joined(whole, last === "." ? "," : ".", rest) : [];
  }
  if (points > 1) return joined(body, ".", "");
  if (commas > 1) return joined(body, ",", "");
  const [whole, rest = ""] = body.split(commas > 0 ? "," : ".");
  const either = commas > 0 && /^[1-9]\d{0,2}$/.test(whole) && /^\d{3}$/.test(rest);
  return either ? [whole + rest, `${whole}.${rest}`] : joined(whole, "", rest);
}

/** Return a whole part, perhaps in groups of three digits, and decimals as one number; none if they are not that. */
function joined(whole: string, separator: string, rest: string): string[] {
  const groups = separator === "" ? whole : whole.replaceAll(separator, "_");
  const mixed = separator !== "" && /[ '_]/.test(whole);
  const plain = /^\d*$/.test(groups) || (!mixed && GROUPED.test(groups));
  if (!plain || !/^\d*$/.test(rest) || !/\d/.test(whole + rest)) return [];
  return [`${groups.replace(/\D/g, "") || "0"}.${rest || "0"}`];
}

function notUnderstood(typed: string): TypedNumber {
  return { refused: `“${shortened(typed)}” is not a number. ${HOW}.` };
}

function shortened(typed: string): string {
  const letters = Array.from(typed);
  return letters.length > 24 ? `${letters.slice(0, 23).join("")}…` : typed;
}
