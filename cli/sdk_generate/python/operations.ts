import {
  type Document,
  type DocumentedOperation,
  isAccessKey,
  pageOf,
  type Parameter,
  type Schema,
  type Schemas,
  successOf,
} from "../document.ts";
import { resourcesOf } from "../resources_of.ts";
import { argumentName, snakeCase } from "./text.ts";

/** An argument of a method. */
export interface Argument extends Parameter {
  argument: string;
}

/** How a method returns the response: its JSON, its bytes, or its events as they come. */
export type Returns =
  | { kind: "json"; schema: Schema | undefined; mayBeEmpty: boolean }
  | { kind: "bytes" }
  | { kind: "events" };

/** A method of a resource. */
export interface Method {
  resource: string;
  name: string;
  operation: DocumentedOperation;
  verb: string;
  path: string;
  parameters: Argument[];
  body: { type: "json"; schema: Schema } | { type: "bytes"; contentTypes: string[] } | undefined;
  bodyRequired: boolean;
  returns: Returns;
  /** Query parameters that the method always sends. */
  fixed: Record<string, string>;
  /** The field that holds the entries of a page, and their schema. */
  page: { field: string; item: Schema } | undefined;
}

/** Reads every operation of a document as methods: one each, and one more for the CSV of a list. */
export function readMethods(document: Document): Method[] {
  const all = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([verb, operation]) => ({ path, verb, operation }))
  );
  const resourceOf = resourcesOf(document.paths);
  return all.flatMap(({ path, verb, operation }) => {
    const resource = snakeCase(resourceOf(path, operation.tags[0]!));
    const method = readMethod(document.components.schemas, path, verb, operation, resource);
    return Object.keys(successOf(operation)).includes("text/csv") && method.returns.kind === "json"
      ? [method, csvOf(method)]
      : [method];
  });
}

function readMethod(
  schemas: Schemas,
  path: string,
  verb: string,
  operation: DocumentedOperation,
  resource: string,
): Method {
  const returns = readReturns(operation);
  const isForm = ({ name }: Parameter) => name === "format" && "text/csv" in successOf(operation);
  return {
    resource,
    name: snakeCase(operation.operationId),
    operation,
    verb: verb.toUpperCase(),
    path,
    parameters: (operation.parameters ?? [])
      .filter((parameter) => !isAccessKey(parameter, operation) && !isForm(parameter))
      .map((parameter) => ({ ...parameter, argument: argumentName(parameter.name) })),
    body: readBody(operation),
    bodyRequired: operation.requestBody?.required === true,
    returns,
    fixed: {},
    page: returns.kind === "json" ? readPage(schemas, operation, returns.schema) : undefined,
  };
}

function csvOf(method: Method): Method {
  const parameters = method.parameters.filter(({ name }) => name !== "after" && name !== "limit");
  return {
    ...method,
    name: `${method.name}_csv`,
    parameters,
    returns: { kind: "bytes" },
    fixed: { format: "csv" },
    page: undefined,
  };
}

function readReturns(operation: DocumentedOperation): Returns {
  const content = successOf(operation);
  const json = content["application/json"];
  const isEmpty = ([status, { content }]: [string, { content?: object }]) =>
    status.startsWith("2") && !content;
  const empty = Object.entries(operation.responses).some(isEmpty);
  if (json || Object.keys(content).length === 0) {
    return { kind: "json", schema: json?.schema, mayBeEmpty: empty };
  }
  return { kind: "text/event-stream" in content ? "events" : "bytes" };
}

function readBody({ requestBody }: DocumentedOperation): Method["body"] {
  if (!requestBody) return undefined;
  const json = requestBody.content["application/json"];
  return json
    ? { type: "json", schema: json.schema }
    : { type: "bytes", contentTypes: Object.keys(requestBody.content) };
}

function readPage(
  schemas: Schemas,
  operation: DocumentedOperation,
  schema: Schema | undefined,
): Method["page"] {
  const page = pageOf(schemas, operation, schema);
  return page && { field: page.field, item: page.list.items! };
}
