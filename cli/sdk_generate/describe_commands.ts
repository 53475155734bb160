import type { Flag, Operation } from "../outbound/operation.ts";
import type { ApiDocument } from "./describe_api.ts";
import { exampleArguments } from "./example_arguments.ts";
import { type DocumentedOperation, isAccessKey, pageOf, type Schemas, successOf } from "./document.ts";
import { bodyFlags, openOf, parameterFlag, resolveSchema } from "./flags.ts";
import { nameCommand } from "./name_command.ts";

/** Tags of operations for platforms, and for the protocol of agents. */
const LEFT_OUT_TAGS = new Set(["Agents", "Platform callbacks"]);

/** `outbound events` and `outbound login` stand for them. */
const LEFT_OUT = new Set(["followCompany", "logIn", "refreshSession"]);

/** Verbs that cannot be undone. */
const FINAL_VERBS = /^(cancel|erase|leave|revoke|rotate|stop)/;

/** Describes each operation of the document as a command of the program `outbound`. */
export function describeCommands(document: ApiDocument): Operation[] {
  const schemas = (document.components?.schemas ?? {}) as Schemas;
  const paths = Object.entries(document.paths ?? {}) as [string, Record<string, DocumentedOperation>][];
  return paths.flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([, { operationId, tags }]) => !LEFT_OUT.has(operationId) && !LEFT_OUT_TAGS.has(tags[0]!))
      .map(([method, operation]) =>
        describe(schemas, path, method.toUpperCase() as Operation["method"], operation)
      )
  ).map((operation, _index, all) => ({ ...operation, ...etagPathOf(operation, all) }));
}

function describe(
  schemas: Schemas,
  path: string,
  method: Operation["method"],
  documented: DocumentedOperation,
): Operation {
  const { operationId, summary, description, parameters = [], requestBody } = documented;
  const credentials = credentialsOf(documented);
  const flags: Flag[] = parameters
    .filter((parameter) => !isAccessKey(parameter, documented))
    .map((parameter) => parameterFlag(schemas, path, parameter));
  const content = Object.entries(requestBody?.content ?? {});
  const [type, media] = content[0] ?? [];
  if (type === "application/json") flags.push(...bodyFlags(schemas, media!.schema, flags));
  const success = successOf(documented);
  return {
    id: operationId,
    ...nameCommand(operationId, path),
    method,
    path,
    summary,
    ...(description && { description }),
    flags,
    ...(content.length > 0 && { body: content.map(([name]) => name) }),
    ...(type === "application/json" && openOf(schemas, resolveSchema(schemas, media!.schema))),
    credentials,
    ...(pageOf(schemas, documented, success["application/json"]?.schema) && { paged: true }),
    ...(Object.keys(success).some((name) => name !== "application/json") && { other: true }),
    ...((method === "DELETE" || FINAL_VERBS.test(operationId)) && { asks: true }),
    example: exampleArguments(flags, parameters, media?.example, type),
  };
}

function credentialsOf({ security = [] }: DocumentedOperation): Operation["credentials"] {
  const names = new Set(security.flatMap((each) => Object.keys(each)));
  return [
    ...names.has("accessKey") ? ["key" as const] : [],
    ...names.has("userToken") ? ["token" as const] : [],
  ];
}

/** Settings are read at the path of the change, or above it. */
function etagPathOf({ flags, path }: Operation, all: Operation[]): { etagPath?: string } {
  if (!flags.some(({ name }) => name === "if-match")) return {};
  const reads = new Set(all.filter(({ method }) => method === "GET").map((each) => each.path));
  for (let above = path; above !== ""; above = above.slice(0, above.lastIndexOf("/"))) {
    if (reads.has(above)) return { etagPath: above };
  }
  return {};
}
