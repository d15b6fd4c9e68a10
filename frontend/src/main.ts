/** The script of a page: fills the page, or, run as a worker of that page, judges for it. */
import { type Port, serve } from "./core/worker";
import { failed } from "./page/frame";
import { start } from "./page/page";

if (typeof document === "undefined") serve(globalThis as unknown as Port);
else start(document.currentScript?.textContent ?? "").catch(failed);
