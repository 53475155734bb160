/** The parts of a JSON schema that types are made of. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: (string | null)[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema | boolean;
  allOf?: Schema[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  description?: string;
  format?: string;
  discriminator?: { propertyName: string; mapping: Record<string, string> };
}

/** A parameter of an operation. */
export interface Parameter {
  name: string;
  in: "path" | "query" | "header";
  required?: boolean;
  description?: string;
  example?: unknown;
  schema: Schema;
}

/** The forms of a body, by their media types. */
export type Content = Record<string, { schema: Schema; example?: unknown }>;

/** An operation of the API document. */
export interface DocumentedOperation {
  operationId: string;
  summary: string;
  description?: string;
  tags: string[];
  security?: Record<string, unknown>[];
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content: Content };
  responses: Record<string, { content?: Content; headers?: object }>;
}

/** The named schemas of a document. */
export type Schemas = Record<string, Schema>;

/** The parts of the API document that a client is made of. */
export interface Document {
  info: { version: string };
  webhooks?: unknown;
  paths: Record<string, Record<string, DocumentedOperation>>;
  components: { schemas: Schemas };
}

/** Returns the name that a schema refers to. */
export function referredName({ $ref }: Schema): string | undefined {
  return $ref?.split("/").at(-1);
}

/** Returns the schema itself, where it only names one. */
export function resolve(schemas: Schemas, schema: Schema): Schema {
  const name = referredName(schema);
  return name === undefined ? schema : schemas[name]!;
}

/** Returns the fields of an object, with those that it takes from others by `allOf`. */
export function fieldsOf(
  schemas: Schemas,
  schema: Schema,
): { properties: Record<string, Schema>; required: string[] } {
  const parts = schema.allOf?.map((part) => fieldsOf(schemas, resolve(schemas, part))) ?? [];
  return {
    properties: Object.assign({}, ...parts.map(({ properties }) => properties), schema.properties),
    required: [...parts.flatMap(({ required }) => required), ...schema.required ?? []],
  };
}

/** Returns the names of all schemas that `roots` lead to. */
export function reachable(schemas: Schemas, roots: unknown[]): Set<string> {
  const found = new Set<string>();
  const visit = (node: unknown): void => {
    if (typeof node !== "object" || node === null) return;
    const name = referredName(node as Schema);
    if (name !== undefined && schemas[name] && !found.has(name)) {
      found.add(name);
      visit(schemas[name]);
    }
    Object.values(node).forEach(visit);
  };
  roots.forEach(visit);
  return found;
}

/** Returns the forms of an operation's success, by their media types. */
export function successOf({ responses }: DocumentedOperation): Content {
  const successes = Object.entries(responses).filter(([status]) => status.startsWith("2"));
  return Object.assign({}, ...successes.map(([, { content }]) => content));
}

/** Whether a parameter is the access key, which clients send in the header. */
export function isAccessKey({ name }: Parameter, { security = [] }: DocumentedOperation): boolean {
  return name === "access_key" && security.some((scheme) => "accessKey" in scheme);
}

/** Returns the list of a page: an operation that takes `after` returns one, with a `next` that is null on the last page. */
export function pageOf(
  schemas: Schemas,
  { parameters = [] }: DocumentedOperation,
  schema: Schema | undefined,
): { field: string; list: Schema } | undefined {
  if (!schema || !parameters.some(({ name }) => name === "after")) return undefined;
  const { properties } = fieldsOf(schemas, resolve(schemas, schema));
  if (![properties.next?.type].flat().includes("null")) return undefined;
  const [field, list] = Object.entries(properties).find(([, { type }]) => type === "array")!;
  return { field, list };
}
