/** The numeric core of a page: no document, no network, nothing at run time but the language. */
export * from "./amounts";
export * from "./answer";
export * from "./setting";
export * from "./abstention";
export * from "./curves";
export * from "./data";
export * from "./detector";
export * from "./grid";
export * from "./judge";
export * from "./multiclass";
export * from "./numbers";
export * from "./regions";
export * from "./shift";
export * from "./state";
export * from "./sums";
export * from "./toml";
export * from "./worker";
