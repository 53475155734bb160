import {
  type Document,
  type DocumentedOperation,
  isAccessKey,
  pageOf,
  type Parameter,
  referredName,
  resolve,
  type Schema,
  type Schemas,
  successOf,
} from "../document.ts";
import { verbOf, wordsOf } from "../name_command.ts";
import { resourcesOf } from "../resources_of.ts";

/** One of the kinds of a body, and the response to it: the types of both. */
export interface Variant {
  body: string;
  response: string;
}

/** An operation as a method of a resource. */
export interface Method {
  resource: string;
  name: string;
  operation: DocumentedOperation;
  /** Names in the path, without the company. */
  path: string[];
  isOfCompany: boolean;
  /** Parameters of the query that have one value only. */
  fixed: Record<string, string>;
  needsOptions: boolean;
  body: "required" | "optional" | undefined;
  /** How the response is returned: itself, as a page of a list, or with its ETag. */
  returns: "call" | "pages" | "tagged";
  hasCsv: boolean;
  variants: Variant[];
  /** The type of the response to a dry run, where that is another one. */
  dryRun: string | undefined;
}

/** Reads the operations of a document as methods. Streams of events have other methods, written by hand. */
export function readMethods(document: Document): Method[] {
  const resourceOf = resourcesOf(document.paths);
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.values(item)
      .filter((operation) => !("text/event-stream" in successOf(operation)))
      .map((operation) => readMethod(document, resourceOf(path, operation.tags[0]!), path, operation))
  );
}

function readMethod(
  { components: { schemas } }: Document,
  resource: string,
  path: string,
  operation: DocumentedOperation,
): Method {
  const { parameters = [], requestBody } = operation;
  const isOfCompany = path.startsWith("/manage/companies/{company_id}");
  const sent = parameters.filter((parameter) => !isAccessKey(parameter, operation));
  const success = successOf(operation);
  const json = success["application/json"]?.schema;
  return {
    resource: camelCase(wordsOf(resource)),
    name: camelCase(verbOf(operation.operationId, path, resource)),
    operation,
    path: namesIn(sent, "path").filter((name) => !isOfCompany || name !== "company_id"),
    isOfCompany,
    fixed: Object.fromEntries(sent.filter(isFixed).map(({ name, schema }) => [name, schema.enum![0]!])),
    needsOptions: sent.some((each) => each.in !== "path" && each.required && !isFixed(each)),
    body: requestBody && (requestBody.required ? "required" : "optional"),
    returns: pageOf(schemas, operation, json) ? "pages" : hasEtag(operation) ? "tagged" : "call",
    hasCsv: json !== undefined && "text/csv" in success,
    ...readVariants(schemas, sent, requestBody?.content["application/json"]?.schema, json),
  };
}

/** The alternatives of a body and of its response stand in the same order; the last response is that to a dry run. */
function readVariants(
  schemas: Schemas,
  parameters: Parameter[],
  body: Schema | undefined,
  response: Schema | undefined,
): Pick<Method, "variants" | "dryRun"> {
  const bodies = body && resolve(schemas, body).oneOf;
  const responses = response && resolve(schemas, response).anyOf;
  const isTried = parameters.some(({ name }) => name === "dry_run");
  if (!isTried || !bodies || responses?.length !== bodies.length + 1) {
    return { variants: [], dryRun: undefined };
  }
  return {
    variants: bodies.map((each, index) => ({
      body: referredName(each)!,
      response: referredName(responses[index]!)!,
    })),
    dryRun: referredName(responses.at(-1)!)!,
  };
}

function namesIn(parameters: Parameter[], location: Parameter["in"]): string[] {
  return parameters.filter((parameter) => parameter.in === location).map(({ name }) => name);
}

function isFixed({ required, schema }: Parameter): boolean {
  return required === true && schema.enum?.length === 1;
}

function hasEtag({ responses }: DocumentedOperation): boolean {
  return Object.entries(responses).some(([status, { headers = {} }]) =>
    status.startsWith("2") && "ETag" in headers
  );
}

/** `["list", "recipients"]` → `listRecipients`. */
export function camelCase([first, ...others]: string[]): string {
  return first! + others.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join("");
}
