/** The script of a page of answers and abstentions. */
import { failed } from "./page/frame";
import { start } from "./page/responses";

start().catch(failed);
