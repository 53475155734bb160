import { argumentName, exportedName } from "./go_text.ts";
import { isRepeatable, needsCredential } from "../rules_of_operations.ts";
import {
  type DocumentedOperation,
  isAccessKey,
  pageOf,
  type Parameter,
  type Schema,
  successOf,
} from "../document.ts";
import type { Argument, Operation } from "./go_operation.ts";
import type { GoTypes } from "./go_types.ts";

/** Header fields that the client sends by itself, or with an option. */
const OWN_HEADERS = new Set(["Idempotency-Key", "Last-Event-ID"]);

/** Where an operation stands: its path, its method, and the part of the client that it belongs to. */
export interface Endpoint {
  route: string;
  method: string;
  resource: string;
}

/** Reads an operation; one that also has its result as CSV gives two. */
export function readOperation(
  types: GoTypes,
  { route, method, resource }: Endpoint,
  described: DocumentedOperation,
): Operation[] {
  const { operationId, summary = "", description = "", parameters = [], requestBody } = described;
  const name = exportedName(operationId);
  const content = successOf(described);
  const json = content["application/json"]?.schema;
  const hasCsv = json !== undefined && "text/csv" in content;
  const sent = parameters.filter((parameter) => !isSentByClient(parameter, described))
    .filter(({ name }) => !hasCsv || name !== "format");
  const asArgument = (parameter: Parameter) => readArgument(types, parameter, name);
  const operation: Operation = {
    name,
    method: method.toUpperCase(),
    route,
    group: exportedName(resource),
    summary,
    description,
    required: sent.filter((each) => each.required && !isFixed(each)).map(asArgument),
    optional: sent.filter(({ required }) => !required).map(asArgument),
    fixed: sent.filter(isFixed).map(({ name, schema }) => [name, schema.enum![0]!]),
    isKeyed: method === "post" && parameters.some(({ name }) => name === "Idempotency-Key"),
    isRepeatable: isRepeatable(method.toUpperCase(), route),
    needsCredential: needsCredential(described.security),
    body: bodyOf(types, name, requestBody),
    result: json ? resultOf(types, name, json) : Object.keys(content).length > 0 ? "file" : undefined,
    page: json && readPage(types, described, json),
  };
  if (!hasCsv) return [operation];
  const csv = { name: `${name}CSV`, fixed: [["format", "csv"]] as [string, string][], result: "file" };
  return [operation, { ...operation, ...csv, page: undefined }];
}

function isSentByClient(parameter: Parameter, described: DocumentedOperation): boolean {
  return OWN_HEADERS.has(parameter.name) || isAccessKey(parameter, described);
}

/** A required parameter with one value is no question. */
function isFixed({ required, schema }: Parameter): boolean {
  return required === true && schema.enum?.length === 1;
}

function readArgument(types: GoTypes, parameter: Parameter, operation: string): Argument {
  const { name, in: location, schema, required, description } = parameter;
  return {
    name: required ? argumentName(name) : exportedName(name),
    wire: name,
    type: argumentType(types, schema, operation + exportedName(name)),
    in: location,
    about: description ?? schema.description ?? "",
  };
}

function argumentType(types: GoTypes, schema: Schema, name: string): string {
  const [value, ...others] = schema.enum ?? [];
  if (value !== "true") return types.typeOf(schema, name, false).text;
  return others.length === 0 ? "bool" : "*bool";
}

function bodyOf(types: GoTypes, name: string, body: DocumentedOperation["requestBody"]): Operation["body"] {
  if (body === undefined) return undefined;
  const { schema } = body.content["application/json"] ?? {};
  if (schema === undefined) return "file";
  return { type: types.typeOf(schema, `${name}Body`, true).text, isRequired: body.required === true };
}

/** Objects are pointers, so that a failure returns nothing. */
function resultOf(types: GoTypes, name: string, schema: Schema): string {
  const { text, kind } = types.typeOf(schema, `${name}Result`, false);
  return kind === "object" ? `*${text}` : text;
}

function readPage(types: GoTypes, described: DocumentedOperation, schema: Schema): Operation["page"] {
  const page = pageOf(types.schemas, described, schema);
  if (page === undefined) return undefined;
  const name = exportedName(page.field);
  const owner = types.typeOf(schema, "", false).text;
  const { text } = types.typeOf(page.list, owner + name, false);
  return { field: name, entry: text.slice("[]".length) };
}
