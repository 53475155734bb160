import assert from "node:assert/strict";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { BASE_PATH, type JsonObject, type SeenAnswer } from "./http.ts";

/** The parts of an OpenAPI 3.1 document that the check reads. */
export interface OpenApiDocument {
  paths: Record<string, Record<string, { responses?: Record<string, OpenApiResponse> }>>;
}

interface OpenApiResponse {
  headers?: Record<string, { required?: boolean }>;
  content?: Record<string, { schema?: unknown }>;
}

/** Fails when a response does not match the document, and names every such response. */
export function assertDocumented(document: OpenApiDocument, responses: SeenAnswer[]): void {
  const problems = responses.flatMap((answer) => {
    const problem = checkAnswer(document, answer);
    const path = answer.path.replace(/\?.*/, "");
    return problem === undefined ? [] : [`${answer.method} ${path} ${answer.status}: ${problem}`];
  });
  assert.deepEqual([...new Set(problems)], [], "responses that do not fit the OpenAPI document");
}

/**
 * Compares one response with the document: its status, required headers, media type and body. An unknown path may only
 * be answered 404, and a known path with an unknown method only 405.
 *
 * @returns what is wrong, or undefined
 */
export function checkAnswer(document: OpenApiDocument, answer: SeenAnswer): string | undefined {
  const template = findPath(document, answer.path);
  if (template === undefined) return answer.status === 404 ? undefined : "undocumented path";
  const method = answer.method.toLowerCase();
  const operation = document.paths[template]?.[method];
  if (operation === undefined) return answer.status === 405 ? undefined : "undocumented method";
  const response = operation.responses?.[answer.status];
  if (response === undefined) return "undocumented status";
  const pointer = ["paths", template, method, "responses", String(answer.status)];
  return missingHeader(response, answer) ?? bodyProblem(document, response, pointer, answer);
}

function findPath(document: OpenApiDocument, path: string): string | undefined {
  const wanted = segments(path.replace(/[?#].*/, "").replace(new RegExp(`^${BASE_PATH}(?=/)`), ""));
  const fits = (template: string) => {
    const parts = segments(template);
    return parts.length === wanted.length &&
      parts.every((part, index) => part.startsWith("{") || part === wanted[index]);
  };
  const found = Object.keys(document.paths).filter(fits);
  return found.find((template) => !template.includes("{")) ?? found[0];
}

function segments(path: string): string[] {
  return path.replace(/\/$/, "").split("/");
}

function missingHeader(response: OpenApiResponse, answer: SeenAnswer): string | undefined {
  const required = Object.entries(response.headers ?? {}).filter(([, header]) => header.required);
  const missing = required.filter(([name]) => !answer.headers.has(name)).map(([name]) => name);
  return missing.length > 0 ? `missing headers: ${missing.join(", ")}` : undefined;
}

function bodyProblem(
  document: OpenApiDocument,
  response: OpenApiResponse,
  pointer: string[],
  answer: SeenAnswer,
): string | undefined {
  if (response.content === undefined) return answer.body === null ? undefined : "undocumented body";
  const mediaType = answer.headers.get("content-type")?.replace(/;.*/, "").trim().toLowerCase() ?? "";
  const content = response.content[mediaType];
  if (content === undefined) return `undocumented content type '${mediaType}'`;
  if (content.schema === undefined) return "no schema";
  if (!mediaType.includes("json")) return undefined;
  const validate = validatorOf(document, [...pointer, "content", mediaType, "schema"]);
  return problemOf(validate, answer.body);
}

/**
 * Compares the JSON examples of a body with its schema.
 *
 * @param pointer where the body stands in the document
 * @returns what is wrong, or undefined
 */
export function checkExample(document: OpenApiDocument, pointer: string[]): string | undefined {
  const path = [...pointer, "content", "application/json"];
  const { example, examples = { one: { value: example } } } = path.reduce<JsonObject>(
    (node, part) => node[part],
    document as JsonObject,
  );
  const values = Object.values<JsonObject>(examples).map(({ value }) => value);
  if (values.includes(undefined)) return "no example";
  const validate = validatorOf(document, [...path, "schema"]);
  return values.map((value) => problemOf(validate, value)).find((problem) => problem !== undefined);
}

/** Compares the example of a parameter with its schema. Returns what is wrong, or undefined. */
export function checkParameter(document: OpenApiDocument, pointer: string[]): string | undefined {
  const { example } = pointer.reduce<JsonObject>((node, part) => node[part], document as JsonObject);
  if (example === undefined) return "no example";
  return problemOf(validatorOf(document, [...pointer, "schema"]), example);
}

/** Compares a JSON body with the schema of the one that stands at `pointer`. Returns what is wrong, or undefined. */
export function checkBody(document: OpenApiDocument, pointer: string[], body: unknown): string | undefined {
  return problemOf(validatorOf(document, [...pointer, "content", "application/json", "schema"]), body);
}

function problemOf(validate: ReturnType<Ajv2020["compile"]>, value: unknown): string | undefined {
  if (validate(value)) return undefined;
  return (validate.errors ?? []).map((error) => `${error.instancePath || "body"} ${error.message}`).join(
    ", ",
  );
}

const validators = new WeakMap<OpenApiDocument, Ajv2020>();

/** Compiles the schema at a pointer of the document; references of the document resolve inside it. */
function validatorOf(document: OpenApiDocument, pointer: string[]): ReturnType<Ajv2020["compile"]> {
  let ajv = validators.get(document);
  if (ajv === undefined) {
    ajv = new Ajv2020({ strict: false, validateSchema: false, allErrors: true });
    addFormats.default(ajv);
    ajv.addSchema(document, "openapi.json");
    validators.set(document, ajv);
  }
  const path = pointer.map((part) => encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1")));
  const reference = `openapi.json#/${path.join("/")}`;
  return ajv.getSchema(reference) ?? ajv.compile({ $ref: reference });
}
