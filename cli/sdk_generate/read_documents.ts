import { loadEnv } from "../../supabase/functions/_shared/env.ts";
import { createServices } from "../../supabase/functions/_shared/services.ts";
import { createFunctions } from "../../supabase/functions/main/app.ts";
import { createApp as createOpenapiApp } from "../../supabase/functions/openapi/app.ts";
import { type ApiDocument, describeApi } from "./describe_api.ts";

/** Settings without which the services cannot be made; nothing is connected to. */
const ENV = {
  DATABASE_URL: "postgres://127.0.0.1:9/none",
  SECRETS_KEY: btoa("\0".repeat(32)),
  LOG_LEVEL: "silent",
};

/** The documents that are made from the routes. */
export interface ApiDocuments {
  /** As `GET /openapi` returns it. */
  served: ApiDocument;
  /** For clients: without the routes of the document itself. */
  forClients: ApiDocument;
}

/** Makes the documents from the routes, without a database. */
export async function readDocuments(): Promise<ApiDocuments> {
  const services = createServices(loadEnv(ENV));
  try {
    const functions = Object.values(createFunctions(services));
    return {
      served: describeApi([createOpenapiApp(services), ...functions]),
      forClients: describeApi(functions),
    };
  } finally {
    await services.close();
  }
}

/** Returns a document as the text of its file. */
export function documentText(document: ApiDocument): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}
