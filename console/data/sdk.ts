/** The client of the API; nothing else of the console calls it. */
export * from "../../sdk/typescript/src/operations.ts";
