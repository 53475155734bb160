import type { Document, DocumentedOperation } from "../../sdk_generate/document.ts";
import { authOf, credentialVariables, type SecuritySchemes } from "./credentials.ts";
import { bodyOf, urlOf } from "./request.ts";

/** The API document with what a collection needs beside what clients do. */
export interface CollectedDocument extends Document {
  info: { title: string; version: string; description: string };
  servers: { url: string }[];
  tags: { name: string; description: string }[];
  components: Document["components"] & { securitySchemes: SecuritySchemes };
}

const SCHEMA = "https://schema.getpostman.com/json/collection/v2.1.0/collection.json";

/** Where `deno task start` serves the API. */
const LOCAL_HOST = "http://127.0.0.1:54321";

/** Called by platforms alone. */
const LEFT_OUT_TAG = "Platform callbacks";

/**
 * Returns the API document as a Postman collection of format 2.1: a folder per section, a request per operation with the
 * example of its body, and variables for the base URL and the credentials.
 */
export function postmanCollection(document: CollectedDocument): object {
  const { info, servers, tags, components: { securitySchemes } } = document;
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method, operation }))
  ).filter(({ operation }) => operation.tags[0] !== LEFT_OUT_TAG);
  const folders = tags.map(({ name, description }) => ({
    name,
    description,
    item: operations.filter(({ operation }) => operation.tags[0] === name)
      .map(({ path, method, operation }) => requestItem(path, method, operation, securitySchemes)),
  })).filter(({ item }) => item.length > 0);
  return {
    info: { name: info.title, description: info.description, version: info.version, schema: SCHEMA },
    item: folders,
    variable: [
      { key: "base_url", value: LOCAL_HOST + servers[0]!.url },
      ...credentialVariables(operations.map(({ operation }) => operation)),
    ],
  };
}

function requestItem(
  path: string,
  method: string,
  operation: DocumentedOperation,
  schemes: SecuritySchemes,
): object {
  const body = bodyOf(operation);
  const headers = (operation.parameters ?? []).filter((parameter) => parameter.in === "header");
  return {
    name: operation.summary,
    request: {
      method: method.toUpperCase(),
      description: operation.description ?? operation.summary,
      auth: authOf(operation, schemes),
      header: [
        ...body ? [{ key: "Content-Type", value: body.type }] : [],
        ...headers.map(({ name, example, description = "", required = false }) => ({
          key: name,
          value: String(example ?? ""),
          description,
          disabled: !required,
        })),
      ],
      url: urlOf(path, operation, schemes),
      ...body && { body: body.content },
    },
  };
}
