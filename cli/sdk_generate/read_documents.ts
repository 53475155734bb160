import { loadEnv } from "../../supabase/functions/_shared/env.ts";
import { createServices } from "../../supabase/functions/_shared/services.ts";
import { createFunctions } from "../../supabase/functions/main/app.ts";
import { createApp as createOpenapiApp } from "../../supabase/functions/openapi/app.ts";
import { type ApiDocument, describeApi } from "./describe_api.ts";

/** Settings without which the services cannot be made; nothing is connected to. */
const ENV = {
  DATABASE_URL: "postgres://127.0.0.1:9/none",
  OUTBOUND_SECRETS_KEY: btoa("\0".repeat(32)),
  OUTBOUND_LOG_LEVEL: "silent",
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

/** Returns a document as the text of its file: a line for each path and component, so that a change shows what changed. */
export function renderDocument({ paths = {}, components = {}, ...others }: ApiDocument): string {
  const compact = (values: object) => mapValues(values, (value) => JSON.stringify(value));
  return `${
    renderLines({
      ...compact(others),
      paths: renderLines(compact(paths)),
      components: renderLines(mapValues(components, (group) => renderLines(compact(group)))),
    })
  }\n`;
}

function mapValues(values: object, map: (value: object) => string): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value)]));
}

/** Writes an object of texts that are JSON already, each on a line of its own. */
function renderLines(values: Record<string, string>): string {
  return `{\n${
    Object.entries(values).map(([name, text]) => `${JSON.stringify(name)}: ${text}`).join(",\n")
  }\n}`;
}
