import type { JsonObject, TestAnswer } from "../../setup/http/http.ts";
import { readDocument } from "../../setup/stack/services.ts";
import type { Api } from "../with_api.ts";

/** A documented operation that takes a company's access key. */
export interface KeyOperation {
  /** `POST /notify`; below a company without `/manage/companies/{company_id}`. */
  name: string;
  path: string;
  /** Sends the documented example, with ids that nothing has. */
  ask(key: string): Promise<TestAnswer<JsonObject>>;
}

/** Returns all operations that take a company's access key, those of widgets among them. */
export async function keyOperations(api: Api): Promise<KeyOperation[]> {
  const { paths } = await readDocument(api.app) as { paths: Record<string, Record<string, JsonObject>> };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).filter(([, operation]) => takesKey(operation)).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${path.replace("/manage/companies/{company_id}", "")}`,
      path,
      ask: (key: string) => askWithKey(api, { method, path, operation, key }),
    }))
  );
}

function takesKey({ security = [] }: JsonObject): boolean {
  const schemes = (security as JsonObject[]).flatMap(Object.keys);
  return ["accessKey", "accessKeyInQuery", "customerId"].some((scheme) => schemes.includes(scheme));
}

async function askWithKey(
  { http, company }: Api,
  { method, path, operation, key }: { method: string; path: string; operation: JsonObject; key: string },
): Promise<TestAnswer<JsonObject>> {
  const parameters = (operation.parameters ?? []) as JsonObject[];
  const required = parameters.filter((each) => each.in === "query" && each.required);
  const examples = required.map(({ name, example }) => [name, String(example)]);
  const isWidget = !(operation.security as JsonObject[]).some((each) => "accessKey" in each);
  const ofWidget = { customer_id: key, widget_id: crypto.randomUUID() };
  const query = { ...Object.fromEntries(examples), access_key: key, ...(isWidget && ofWidget) };
  const example = operation.requestBody?.content["application/json"]?.example;
  const body = path.startsWith("/admin/") ? { ...example, company_id: company.id } : example;
  const target = path.replace("{company_id}", "mine").replaceAll(/\{\w+\}/g, () => crypto.randomUUID());
  const headers = { "if-match": "*", accept: "application/json, text/event-stream" };
  return await http.request(method.toUpperCase(), target, body, { query, headers });
}
