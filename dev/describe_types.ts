import openapiTypescript, { astToString, type OpenAPI3 } from "openapi-typescript";
import { respond } from "./respond.ts";

/** Returns the types of an API document, as a typed client of another generator takes them. */
if (import.meta.main) {
  await respond(async (document: OpenAPI3) => astToString(await openapiTypescript(document)));
}
