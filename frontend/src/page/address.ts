/** The reader's choice in the address of the page, and in a copy that was saved with one. */
import type { Read } from "../core/state";
import type { Saved } from "./copy";
import { h } from "./dom";
import type { Chosen } from "./store";

/** How choices are written, and read. */
export interface Form<P> {
  write(): string;
  read(fragment: string): Read<P>;
}

/** Keeps the choice in the address, so that it can be shared and survives a reload. */
export class Address<P> {
  readonly refused = h("p.refused", { role: "status", hidden: true }); // why a link is not followed
  #begun = false;

  constructor(
    readonly store: Chosen<P>,
    readonly saved: Saved | null,
    readonly form: Form<P>,
  ) {}

  /** Take the choice of the address, and follow it. */
  begin(): void {
    this.#restore();
    addEventListener("hashchange", () => {
      this.#restore();
      this.store.tell(true);
    });
  }

  /** Take the choice from the address, if there is one; say if it is refused. */
  #restore(): void {
    const saved = this.saved ? `#${this.saved.fragment}` : "";
    const hash = location.hash.startsWith("#v=") ? location.hash : this.#begun ? location.hash : saved;
    this.#begun = true;
    const choice = this.form.read(hash);
    this.refused.hidden = choice === null || !("refused" in choice);
    if (choice === null) return;
    if ("problem" in choice) this.store.take(choice);
    else this.refused.textContent = `The link was not applied: ${choice.refused}. Nothing was changed.`;
  }

  /** Put the choice into the address. */
  remember(): void {
    const same = this.store.application === 0 && this.store.isInitial;
    if (same && !location.hash.startsWith("#v=")) return; // it may be the place of a section
    try {
      history.replaceState(null, "", same ? location.href.split("#")[0] : `#${this.form.write()}`);
    } catch {
      // a page inside a frame may have no address of its own
    }
  }
}
