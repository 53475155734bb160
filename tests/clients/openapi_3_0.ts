import type { JsonObject } from "../setup/http/http.ts";

/** Rules between fields, and several examples: 3.0 has none. A client of 3.0 takes more than the service does. */
const LEFT_OUT = ["if", "then", "examples"];

/**
 * Writes a document of OpenAPI 3.1 as one of 3.0, for generators that read no other: `null` becomes `nullable`; webhooks
 * and rules between fields are left out.
 */
export function openApi30({ webhooks: _webhooks, ...document }: JsonObject): JsonObject {
  const { identifier: _identifier, ...license } = document.info.license;
  return { ...downgrade(document), openapi: "3.0.3", info: { ...document.info, license } };
}

function downgrade(node: JsonObject): JsonObject {
  const kept = Object.entries(node).filter(([name]) => !LEFT_OUT.includes(name));
  return nullable(Object.fromEntries(kept.map(([name, value]) => [name, downgradeValue(name, value)])));
}

function downgradeValue(name: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || name === "example") return value;
  if (name === "content") return jsonOrBytes(value);
  if (Array.isArray(value)) return value.map((each) => downgradeValue("", each));
  if (name !== "properties") return downgrade(value);
  return Object.fromEntries(Object.entries(value).map(([field, schema]) => [field, downgrade(schema)]));
}

/** Generators of 3.0 know few types of content. */
function jsonOrBytes(content: JsonObject): JsonObject {
  const { "application/json": json } = content;
  if (json !== undefined) return { "application/json": downgrade(json) };
  return { "application/octet-stream": { schema: { type: "string", format: "binary" } } };
}

const isNull = ({ type }: JsonObject) => type === "null";

function nullable({ type, anyOf, ...schema }: JsonObject): JsonObject {
  if (Array.isArray(type)) return { ...schema, type: type[0], nullable: true };
  if (anyOf?.some(isNull)) {
    return {
      ...schema,
      allOf: anyOf.filter((each: JsonObject) => !isNull(each)),
      nullable: true,
    };
  }
  return { ...schema, ...type !== undefined && { type }, ...anyOf !== undefined && { anyOf } };
}
