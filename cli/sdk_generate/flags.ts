import type { Flag, FlagType } from "../outbound/operation.ts";
import { OWN_FLAGS } from "../outbound/own_flags.ts";
import { type Parameter, resolve, type Schema, type Schemas } from "./document.ts";

/** Deeper fields of a body are given as JSON. */
const MAX_DEPTH = 3;

/** Follows references, and merges the parts of a schema that has several. */
export function resolveSchema(schemas: Schemas, schema: Schema): Schema {
  const { $ref, allOf, ...own } = schema;
  const parts = [...$ref ? [resolve(schemas, { $ref })] : [], ...allOf ?? []];
  return Object.assign({}, ...parts.map((part) => resolveSchema(schemas, part)), own);
}

/** Describes a parameter as a flag. A company has a default, so that it is no argument of its own resources. */
export function parameterFlag(schemas: Schemas, path: string, parameter: Parameter): Flag {
  const { name, in: place, required, description } = parameter;
  const schema = resolveSchema(schemas, parameter.schema);
  const isCompany = name === "company_id" && path.startsWith("/manage/companies/");
  return {
    ...flagOf(schemas, schema, [name]),
    in: place,
    ...(required && { required }),
    ...(place === "path" && !isCompany && { positional: true }),
    ...(description && { description }),
  };
}

/** Describes the fields of a body as flags. One that has the name of another flag begins with `body-`. */
export function bodyFlags(schemas: Schemas, schema: Schema, others: Flag[]): Flag[] {
  const taken = new Set([...others.map(({ name }) => name), ...Object.keys(OWN_FLAGS)]);
  return fieldsOf(schemas, schema, [])
    .map((flag) => taken.has(flag.name) ? { ...flag, name: `body-${flag.name}` } : flag);
}

function fieldsOf(schemas: Schemas, schema: Schema, above: string[]): Flag[] {
  const { properties, required } = mergeVariants(schemas, resolveSchema(schemas, schema));
  return Object.entries(properties).flatMap(([name, property]) => {
    const field = [...above, name];
    const resolved = resolveSchema(schemas, property);
    const flag: Flag = {
      ...flagOf(schemas, resolved, field),
      ...(required.has(name) && { required: true }),
      ...(resolved.description && { description: resolved.description }),
    };
    const isDeep = resolved.properties === undefined || field.length === MAX_DEPTH;
    return isDeep ? [flag] : [flag, ...fieldsOf(schemas, resolved, field)];
  });
}

/** A body of several forms takes the fields of all; those that every form needs are required. */
function mergeVariants(schemas: Schemas, { oneOf, ...own }: Schema) {
  const variants = (oneOf ?? [own]).map((each) => resolveSchema(schemas, each));
  const required = variants.map((each) => new Set(each.required));
  return {
    properties: Object.assign({}, ...variants.map((each) => each.properties)) as Record<string, Schema>,
    required: required.reduce((all, each) => all.intersection(each)),
  };
}

function flagOf(schemas: Schemas, schema: Schema, field: string[]): Flag {
  const types = [schema.type ?? []].flat();
  const type = schema.enum?.join() === "true,false" ? "boolean" : typeOf(types);
  return {
    name: field.join("-").replaceAll("_", "-").toLowerCase(),
    in: "body",
    field,
    type,
    ...(type === "array" &&
      { items: typeOf([resolveSchema(schemas, schema.items ?? {}).type ?? []].flat()) }),
    ...(types.includes("null") && { nullable: true }),
    ...openOf(schemas, schema),
    ...(schema.enum && type !== "boolean" && { values: schema.enum.filter((value) => value !== null) }),
  };
}

/** Returns the type of the fields that callers may add to an object. */
export function openOf(schemas: Schemas, schema: Schema): { open?: FlagType } {
  const [variant = schema] = schema.oneOf ?? [];
  const { additionalProperties: added } = resolveSchema(schemas, variant);
  if (!added) return {};
  return { open: typeOf([(added === true ? {} : resolveSchema(schemas, added)).type ?? []].flat()) };
}

function typeOf(types: string[]): FlagType {
  const [type, ...others] = types.filter((each) => each !== "null");
  if (type === undefined || type === "object" || others.length > 0) return "any";
  return type as FlagType;
}
