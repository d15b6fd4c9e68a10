/** The script of a page of costs that differ from case to case. */
import { start } from "./page/cases";
import { failed } from "./page/frame";

start().catch(failed);
