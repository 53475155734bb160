import { resolve, type Schema, type Schemas } from "../document.ts";

/** Returns the alternatives of a schema that are not null. */
export function alternativesOf({ anyOf, oneOf }: Schema): Schema[] {
  return (anyOf ?? oneOf ?? []).filter(({ type }) => type !== "null");
}

/** Whether a value may be null. */
export function isNullable({ type, anyOf, oneOf }: Schema): boolean {
  return [type].flat().includes("null") || (anyOf ?? oneOf ?? []).some((each) => each.type === "null");
}

/** Whether a schema describes an object with named fields. */
export function hasFields(schemas: Schemas, schema: Schema): boolean {
  const { properties = {}, allOf, ...others } = resolve(schemas, schema);
  if (allOf) return allOf.some((part) => hasFields(schemas, part));
  const alternatives = alternativesOf(others);
  if (alternatives.length > 0) return alternatives.every((each) => hasFields(schemas, each));
  return Object.keys(properties).length > 0;
}

/**
 * Returns the fields of an object as one schema: those of all its parts, or of any alternative. A field of alternatives is
 * required if each of them requires it; one that they describe differently has the type that fits all.
 */
export function flatten(schemas: Schemas, schema: Schema): Schema {
  const resolved = resolve(schemas, schema);
  const parts = resolved.allOf ?? alternativesOf(resolved);
  if (parts.length === 0) return resolved;
  const flat = parts.map((part) => flatten(schemas, part));
  const properties: Record<string, Schema> = {};
  for (const part of flat) {
    for (const [name, field] of Object.entries(part.properties ?? {})) {
      const known = properties[name];
      properties[name] = known === undefined ? field : common(known, field);
    }
  }
  const isRequired = (name: string) =>
    flat[resolved.allOf ? "some" : "every"](({ required = [] }) => required.includes(name));
  const { description = flat.length === 1 ? flat[0]!.description : undefined } = resolved;
  const open = flat.find(({ additionalProperties }) => additionalProperties)?.additionalProperties;
  return {
    type: "object",
    properties,
    required: Object.keys(properties).filter(isRequired),
    ...description !== undefined && { description },
    ...open !== undefined && { additionalProperties: open },
  };
}

function common(one: Schema, other: Schema): Schema {
  if (typeKey(one) === typeKey(other)) return one;
  if (one.type === "string" && other.type === "string") {
    return one.enum && other.enum
      ? { ...one, enum: [...new Set([...one.enum, ...other.enum])] }
      : { type: "string" };
  }
  if (one.type === "array" && other.type === "array") {
    return { ...one, items: { anyOf: [one.items!, other.items!] } };
  }
  return {};
}

/** Returns the parts of a schema that decide the type in Go: no limits, and no words. */
function typeKey(schema: Schema): string {
  return JSON.stringify(schema, (name, value) => UNTYPED.has(name) ? undefined : value);
}

const UNTYPED = new Set(
  [
    "description",
    "example",
    "default",
    "pattern",
    "minimum",
    "maximum",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
  ],
);
