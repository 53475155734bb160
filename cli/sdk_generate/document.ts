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
  security: Record<string, unknown>[];
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content: Content };
  responses: Record<string, { content?: Content }>;
}

/** The parts of the API document that a client is made of. */
export interface Document {
  info: { version: string };
  webhooks?: unknown;
  paths: Record<string, Record<string, DocumentedOperation>>;
  components: { schemas: Record<string, Schema> };
}

/** Returns the name of the schema that `$ref` leads to. */
export function nameOf($ref: string): string {
  return $ref.split("/").at(-1)!;
}

/** Follows a `$ref`. */
export function resolve({ components }: Document, schema: Schema): Schema {
  return schema.$ref === undefined ? schema : components.schemas[nameOf(schema.$ref)]!;
}

/** Returns the fields of an object, with those that it takes from others by `allOf`. */
export function fieldsOf(
  document: Document,
  schema: Schema,
): { properties: Record<string, Schema>; required: string[] } {
  const parts = schema.allOf?.map((part) => fieldsOf(document, resolve(document, part))) ?? [];
  return {
    properties: Object.assign({}, ...parts.map(({ properties }) => properties), schema.properties),
    required: [...parts.flatMap(({ required }) => required), ...schema.required ?? []],
  };
}

/** The schemas that responses and webhooks contain. */
export function schemasOfResponses(document: Document): Set<string> {
  const found = new Set<string>();
  const visit = (node: unknown): void => {
    if (typeof node !== "object" || node === null) return;
    if ("$ref" in node && typeof node.$ref === "string") {
      const name = nameOf(node.$ref);
      if (!found.has(name)) visit(document.components.schemas[found.add(name) && name]);
    }
    Object.values(node).forEach(visit);
  };
  visit(document.webhooks);
  for (const operations of Object.values(document.paths)) {
    for (const { responses } of Object.values(operations)) visit(responses);
  }
  // The unions that no route returns: clients read them from webhooks and streams.
  visit({ $ref: "#/components/schemas/WebhookEvent" });
  return found;
}
