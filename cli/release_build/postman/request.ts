import type { DocumentedOperation, Parameter } from "../../sdk_generate/document.ts";
import { credentialParameters, type SecuritySchemes } from "./credentials.ts";

/** Returns the URL of a request: the parameters of the path as variables, optional ones of the query switched off. */
export function urlOf(path: string, operation: DocumentedOperation, schemes: SecuritySchemes): object {
  const { parameters = [] } = operation;
  const credentials = credentialParameters(operation, schemes);
  const query = parameters.filter((each) => each.in === "query" && !credentials.has(each.name));
  const segments = path.slice(1).replaceAll(/\{(\w+)\}/g, ":$1");
  const required = query.filter((parameter) => parameter.required);
  const search = required.map((each) => `${each.name}=${encodeURIComponent(textOf(each))}`).join("&");
  return {
    raw: `{{base_url}}/${segments}${search && `?${search}`}`,
    host: ["{{base_url}}"],
    path: segments.split("/"),
    query: query.map((each) => ({ ...entryOf(each), disabled: !each.required })),
    variable: parameters.filter((each) => each.in === "path").map(entryOf),
  };
}

function entryOf(parameter: Parameter): object {
  return { key: parameter.name, value: textOf(parameter), description: parameter.description ?? "" };
}

function textOf({ example }: Parameter): string {
  return String(example ?? "");
}

/** Returns the body of a request in its first form, with that form's example, or a file that is still to be chosen. */
export function bodyOf({ requestBody }: DocumentedOperation): { type: string; content: object } | undefined {
  const [form] = Object.entries(requestBody?.content ?? {});
  if (form === undefined) return undefined;
  const [type, { example }] = form;
  if (example === undefined) return { type, content: { mode: "file", file: {} } };
  const raw = typeof example === "string" ? example : JSON.stringify(example, null, 2);
  const language = type === "application/json" ? "json" : "text";
  return { type, content: { mode: "raw", raw, options: { raw: { language } } } };
}
