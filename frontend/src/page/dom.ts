/** Small makers of elements. Text always enters as text: no markup is ever parsed. */

export type Child = Node | string | null | undefined | false;
export type Attributes = Record<string, string | number | boolean | null | undefined>;

/** What screen readers pass over. */
export const HIDDEN: Attributes = { "aria-hidden": "true" };

const SVG = "http://www.w3.org/2000/svg";
let serial = 0;

/** Return an id that no other element of the page has. */
export function freshId(stem: string): string {
  serial += 1;
  return `${stem}-${serial}`;
}

/** Give an element its attributes, if the first of what it is given holds them, and its children. */
function fill<E extends Element>(
  element: E,
  name: string | undefined,
  parts: (Attributes | Child)[],
): E {
  if (name) element.setAttribute("class", name);
  for (const part of parts) {
    if (part instanceof Node || typeof part === "string") element.append(part);
    else if (part) set(element, part);
  }
  return element;
}

function set(element: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    element.setAttribute(name, value === true ? "" : String(value));
  }
}

/** A tag, or a tag with a class: "div" or "div.chart". */
type Kind<K extends string> = K | `${K}.${string}`;

/** Return an HTML element. */
export function h<K extends keyof HTMLElementTagNameMap>(
  kind: Kind<K>,
  ...parts: (Attributes | Child)[]
): HTMLElementTagNameMap[K] {
  const [tag, name] = kind.split(".");
  return fill(document.createElement(tag as K), name, parts);
}

/** Return an SVG element. */
export function s<K extends keyof SVGElementTagNameMap>(
  kind: Kind<K>,
  ...parts: (Attributes | Child)[]
): SVGElementTagNameMap[K] {
  const [tag, name] = kind.split(".");
  return fill(document.createElementNS(SVG, tag as K), name, parts);
}

/** Call a function whenever something happens to an element. */
export function on(target: EventTarget, what: string, call: () => void): void {
  target.addEventListener(what, call);
}

/** Return a name that the user gave, kept apart from the direction of the text around it. */
export function named(name: string): HTMLElement {
  return h("bdi.name", { dir: "auto", title: name.length > 12 ? name : null }, name);
}

/** Return "32 (20 to 49)" so that a narrow page breaks the line before the interval, not within. */
export function withBand(text: string): Child[] {
  const at = text.indexOf(" (");
  return at < 0 ? [text] : [text.slice(0, at + 1), h("span.band", text.slice(at + 1))];
}

/** Put new children in the place of the old ones. */
export function refill(element: Element, ...children: Child[]): void {
  element.replaceChildren();
  fill(element, undefined, children);
}

/** Return a function that calls another once things have been quiet for a while. */
export function debounced(wait: number, call: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(call, wait);
  };
}
