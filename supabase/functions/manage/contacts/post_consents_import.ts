import type { App } from "../../_shared/http/app/context.ts";
import { addImport } from "./import_people.ts";

/** `POST …/contacts/consents/import` records the consents of a file. */
export function registerPostConsentsImport(app: App): void {
  addImport(app, "consents", {
    operationId: "importConsents",
    summary: "Record the consents of a CSV file, or that they were taken back",
  });
}
