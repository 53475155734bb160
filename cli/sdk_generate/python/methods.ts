import { isRepeatable, needsCredential } from "../rules_of_operations.ts";
import type { Argument, Method } from "./operations.ts";
import { docString, pascalCase, quote } from "./text.ts";
import type { TypeWriter } from "./types.ts";

/** Which of the two clients methods are for. */
export type Flavour = "sync" | "async";

/** Renders the constant that describes the request of a method. */
export function renderOperation(method: Method, types: TypeWriter): string {
  const { verb, path, operation: { parameters = [], security }, returns } = method;
  const flags = {
    takes_key: parameters.some(({ name }) => name === "Idempotency-Key"),
    repeatable: isRepeatable(verb, path),
    needs_credential: needsCredential(security),
    json: returns.kind === "json",
  };
  const named = Object.entries(flags).filter(([, value]) => value).map(([name]) => `, ${name}=True`).join("");
  const type = `Operation[${resultOf(method, types)}]`;
  return `${constantOf(method)}: ${type} = Operation(${quote(verb)}, ${quote(path)}${named})`;
}

/** Renders the class of a resource with its methods. */
export function renderResource(name: string, methods: Method[], types: TypeWriter, flavour: Flavour): string {
  const base = flavour === "sync" ? "Resource" : "AsyncResource";
  const bodies = methods.flatMap((method) => [
    renderMethod(method, types, flavour),
    ...method.page ? [renderPages(method, types, flavour)] : [],
  ]);
  return `class ${classOf(name, flavour)}(${base}):\n${bodies.join("\n\n")}`;
}

/** Renders the class that holds a client's resources. */
export function renderResources(names: string[], flavour: Flavour): string {
  const driver = flavour === "sync" ? "Driver" : "AsyncDriver";
  return [
    `class ${flavour === "sync" ? "Resources" : "AsyncResources"}:`,
    `    """The operations of the API, by what they belong to."""`,
    "",
    `    def __init__(self, driver: ${driver}) -> None:`,
    ...names.map((name) => `        self.${name} = ${classOf(name, flavour)}(driver)`),
  ].join("\n");
}

function classOf(resource: string, flavour: Flavour): string {
  return `${flavour === "async" ? "Async" : ""}${pascalCase(resource)}`;
}

function constantOf({ name }: Method): string {
  return name.toUpperCase();
}

function resultOf({ returns }: Method, types: TypeWriter): string {
  if (returns.kind === "bytes") return "bytes";
  if (returns.kind === "events") return "ServerEvent";
  const type = returns.schema ? types.received(returns.schema) : "None";
  return returns.mayBeEmpty && type !== "None" ? `${type} | None` : type;
}

function renderMethod(method: Method, types: TypeWriter, flavour: Flavour): string {
  const { name, returns, operation } = method;
  const result = resultOf(method, types);
  const [define, type, send] = returns.kind === "events"
    ? ["def", `${flavour === "sync" ? "Iterator" : "AsyncIterator"}[${result}]`, "self._stream"]
    : flavour === "sync"
    ? ["def", result, "self._call"]
    : ["async def", result, "await self._call"];
  return [
    `    ${define} ${name}(${["self", ...parametersOf(method, types)].join(", ")}) -> ${type}:`,
    describe(method, operation.summary),
    `        return ${send}(${["operations." + constantOf(method), ...passedOf(method)].join(", ")})`,
  ].join("\n");
}

function renderPages(method: Method, types: TypeWriter, flavour: Flavour): string {
  const { field, item } = method.page!;
  const iterator = flavour === "sync" ? "Iterator" : "AsyncIterator";
  const name = `iter_${method.name.slice(method.name.indexOf("_") + 1)}`;
  const passed = ["operations." + constantOf(method), quote(field), ...passedOf(method)];
  return [
    `    def ${name}(${["self", ...parametersOf(method, types)].join(", ")}) -> ${iterator}[${
      types.received(item)
    }]:`,
    describe(
      method,
      `Every entry of \`${method.name}\`, page by page; the next page is read when it is needed`,
    ),
    `        return self._pages(${passed.join(", ")})`,
  ].join("\n");
}

/** Those in the path and the body come first, in this order. The company is `mine` where a key may ask. */
function parametersOf(method: Method, types: TypeWriter): string[] {
  const { parameters, body, bodyRequired } = method;
  const isMine = (parameter: Argument) =>
    parameter.in === "path" && parameter.name === "company_id" && takesKey(method);
  const before = parameters.filter((parameter) => parameter.in === "path" && !isMine(parameter))
    .map(({ argument }) => `${argument}: str`);
  if (body) {
    const type = body.type === "json" ? types.sent(body.schema) : "bytes | str";
    before.push(bodyRequired ? `body: ${type}` : `body: ${type} | None = None`);
  }
  const named = [
    ...parameters.filter((parameter) => parameter.in !== "path" && parameter.required)
      .map((parameter) => `${parameter.argument}: ${types.sent(parameter.schema)}`),
    ...parameters.filter(isMine).map(() => `company_id: str = "mine"`),
    ...parameters.filter((parameter) => parameter.in !== "path" && !parameter.required)
      .map((parameter) => `${parameter.argument}: ${types.sent(parameter.schema)} | None = None`),
    ...contentTypesOf(method).length > 0
      ? [`content_type: Literal[${contentTypesOf(method).map(quote).join(", ")}]`]
      : [],
    "options: RequestOptions | None = None",
  ];
  return [...before, "*", ...named];
}

/** Types to choose from, where there are several. */
function contentTypesOf({ body }: Method): string[] {
  return body?.type === "bytes" && body.contentTypes.length > 1 ? body.contentTypes : [];
}

function takesKey({ operation: { security } }: Method): boolean {
  return security?.some((scheme) => "accessKey" in scheme) ?? false;
}

function passedOf(method: Method): string[] {
  const { parameters, body, fixed } = method;
  const group = (where: Argument["in"]) => [
    ...parameters.filter((parameter) => parameter.in === where)
      .map(({ name, argument }) => `${quote(name)}: ${argument}`),
    ...where === "query"
      ? Object.entries(fixed).map(([name, value]) => `${quote(name)}: ${quote(value)}`)
      : [],
  ];
  const headers = group("header");
  if (body?.type === "bytes") {
    const type = contentTypesOf(method).length > 0 ? "content_type" : quote(body.contentTypes[0]!);
    headers.push(`"Content-Type": ${type}`);
  }
  const dict = (name: string, entries: string[]) =>
    entries.length > 0 ? [`${name}={${entries.join(", ")}}`] : [];
  return [
    ...dict("path", group("path")),
    ...dict("query", group("query")),
    ...dict("headers", headers),
    ...body ? ["body=body"] : [],
    "options=options",
  ];
}

function describe({ operation, parameters }: Method, summary: string): string {
  const documented = parameters.filter(({ description }) => description)
    .map(({ argument, description }) => `    ${argument}: ${description}`);
  return docString([
    `${summary}.`,
    ...operation.description ? ["", operation.description] : [],
    ...documented.length > 0 ? ["", "Args:", ...documented] : [],
  ], "        ");
}
