import type { App } from "../../_shared/http/app/context.ts";
import { addImport } from "./import_people.ts";

/** `POST …/contacts/suppressions/import` records the suppressions of a file. */
export function registerPostSuppressionsImport(app: App): void {
  addImport(app, "suppressions", {
    operationId: "importSuppressions",
    summary: "Record the people of a CSV file who do not want to be written to",
    effect: "stops",
  });
}
