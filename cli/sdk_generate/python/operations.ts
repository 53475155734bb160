import {
  type Document,
  type DocumentedOperation,
  fieldsOf,
  type Parameter,
  resolve,
  type Schema,
} from "./document.ts";
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

const BELOW_COMPANY = /^\/manage\/companies\/\{company_id\}\/([a-z_]+)/;

/** Resources that are not named by the path: those of other tags than "Management". */
const OTHER_RESOURCES: Record<string, string> = { Agents: "mcp", Operation: "service" };

/** Reads every operation of a document as methods: one each, and one more for the CSV of a list. */
export function readMethods(document: Document): Method[] {
  const all = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([verb, operation]) => ({ path, verb, operation }))
  );
  const counts = new Map<string, number>();
  for (const { path } of all) {
    const segment = BELOW_COMPANY.exec(path)?.[1];
    if (segment) counts.set(segment, (counts.get(segment) ?? 0) + 1);
  }
  return all.flatMap(({ path, verb, operation }) => {
    const method = readMethod(document, path, verb, operation, resourceOf(path, operation, counts));
    return Object.keys(successOf(operation)).includes("text/csv") && method.returns.kind === "json"
      ? [method, csvOf(method)]
      : [method];
  });
}

/** An operation that is alone below a company's segment belongs to the company. */
function resourceOf(path: string, { tags: [tag] }: DocumentedOperation, counts: Map<string, number>): string {
  const segment = BELOW_COMPANY.exec(path)?.[1];
  if (segment) return counts.get(segment) === 1 ? "companies" : segment;
  return /^\/manage\/([a-z_]+)/.exec(path)?.[1] ?? OTHER_RESOURCES[tag!] ?? snakeCase(tag!);
}

function readMethod(
  document: Document,
  path: string,
  verb: string,
  operation: DocumentedOperation,
  resource: string,
): Method {
  const returns = readReturns(operation);
  // Credentials are sent in the header.
  const isCredential = ({ name }: Parameter) =>
    name === "access_key" && !operation.security.some((scheme) => "publishableKey" in scheme);
  const isForm = ({ name }: Parameter) => name === "format" && "text/csv" in successOf(operation);
  return {
    resource,
    name: snakeCase(operation.operationId),
    operation,
    verb: verb.toUpperCase(),
    path,
    parameters: (operation.parameters ?? [])
      .filter((parameter) => !isCredential(parameter) && !isForm(parameter))
      .map((parameter) => ({ ...parameter, argument: argumentName(parameter.name) })),
    body: readBody(operation),
    bodyRequired: operation.requestBody?.required === true,
    returns,
    fixed: {},
    page: returns.kind === "json" ? readPage(document, operation, returns.schema) : undefined,
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

function successOf({ responses }: DocumentedOperation): Record<string, { schema: Schema }> {
  return Object.assign(
    {},
    ...Object.entries(responses).filter(([status]) => status.startsWith("2")).map(([, { content }]) =>
      content
    ),
  );
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

/** A list has `after`, and a `next` that is null on its last page. */
function readPage(
  document: Document,
  { parameters = [] }: DocumentedOperation,
  schema: Schema | undefined,
): Method["page"] {
  if (!schema || !parameters.some(({ name }) => name === "after")) return undefined;
  const { properties } = fieldsOf(document, resolve(document, schema));
  if (![properties.next?.type].flat().includes("null")) return undefined;
  const [field, list] = Object.entries(properties).find(([, { type }]) => type === "array")!;
  return { field, item: list.items! };
}
