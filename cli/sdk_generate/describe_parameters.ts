/** An id that nothing has. */
const ID = "0192f8a4-5b1c-7c3d-8e2f-1a2b3c4d5e6f";

interface Schema {
  $ref?: string;
  enum?: unknown[];
  format?: string;
  example?: unknown;
  allOf?: Schema[];
  description?: string;
}

interface Parameter {
  schema: Schema;
  description?: string;
  example?: unknown;
}

/** The parts of an OpenAPI document that are read here. */
interface Document {
  paths?: object;
  components?: { schemas?: Record<string, object> };
}

/**
 * Gives each parameter of a document the example of its schema; a list of values, or an id, needs none of its own. The
 * description of a named schema goes to the parameter: generators of clients take no schema that only adds one.
 */
export function describeParameters<Given extends Document>(document: Given): Given {
  for (const operations of Object.values(document.paths ?? {})) {
    for (const operation of Object.values(operations as Record<string, { parameters?: Parameter[] }>)) {
      for (const parameter of operation.parameters ?? []) {
        const [named, { description } = {}] = parameter.schema.allOf ?? [];
        if (named !== undefined) Object.assign(parameter, { schema: named, description });
        parameter.example ??= exampleOf(resolve(document, parameter.schema));
      }
    }
  }
  return document;
}

function resolve(document: Document, schema: Schema): Schema {
  const name = schema.$ref?.split("/").at(-1);
  return name === undefined ? schema : document.components?.schemas?.[name] as Schema;
}

function exampleOf(schema: Schema): unknown {
  return schema.example ?? schema.enum?.[0] ?? (schema.format === "uuid" ? ID : undefined);
}
