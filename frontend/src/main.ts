/** The script of a page: fills the page, or, run as a worker of that page, judges for it. */
import { type Port, serve } from "./core/worker";
import { start } from "./page/page";

if (typeof document === "undefined") serve(globalThis as unknown as Port);
else {
  start(document.currentScript?.textContent ?? "").catch((error: unknown) => {
    document.getElementById("live")?.append(`The live part cannot run in this browser: ${error}`);
  });
}
