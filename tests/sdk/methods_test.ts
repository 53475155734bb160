import assert from "node:assert/strict";
import type { Document } from "../../cli/sdk_generate/document.ts";
import { readDocuments } from "../../cli/sdk_generate/read_documents.ts";
import { type Method, readMethods } from "../../cli/sdk_generate/typescript/read_methods.ts";
import { Outbound } from "../../sdk/typescript/src/mod.ts";

type Call = (...args: unknown[]) => Promise<unknown>;

/** Operations that respond with events: `events()` follows a company. */
const STREAMS = [
  "GET /manage/companies/{company_id}/events",
  "GET /widget/conversations/{conversation_id}/events",
];

Deno.test("every operation of the API document is a method, which puts each argument in its place", async () => {
  const document = (await readDocuments()).forClients as unknown as Document;
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      route: `${method.toUpperCase()} ${path}`,
      operation,
    }))
  );
  const methods = readMethods(document);
  const requests: Request[] = [];
  const outbound = new Outbound({
    baseUrl: "https://api.example.com",
    accessKey: "k",
    companyId: "company",
    fetch: (request) => {
      requests.push(request);
      return Promise.resolve(Response.json({}));
    },
  });

  for (const method of methods) await call(outbound, method);

  const taken = methods.map(({ operation }) => operation.operationId);
  const left = operations.filter(({ operation }) => !taken.includes(operation.operationId));
  assert.deepEqual(left.map(({ route }) => route), STREAMS);
  const expected = methods.map(({ operation, isOfCompany, body, fixed }) => {
    const { route } = operations.find((each) => each.operation.operationId === operation.operationId)!;
    const own = isOfCompany ? route.replace("{company_id}", "company") : route;
    const request = own.replaceAll(/\{(\w+)\}/g, "$1%2F");
    return { request, query: { ...fixed, extra: "1" }, body: body ? '{"a":1}' : "" };
  });
  const seen = await Promise.all(requests.map(async (request) => {
    const { pathname, searchParams } = new URL(request.url);
    return {
      request: `${request.method} ${pathname}`,
      query: Object.fromEntries(searchParams),
      body: await request.text(),
    };
  }));
  assert.deepEqual(seen, expected);
});

Deno.test("the company is the request's, or the client's, or that of the access key", async () => {
  const asked: string[] = [];
  const fetch = (request: Request) => {
    asked.push(new URL(request.url).pathname.split("/")[3]!);
    return Promise.resolve(Response.json({ lists: [], next: null }));
  };
  const options = { baseUrl: "https://api.example.com", fetch };

  await new Outbound({ ...options, token: "t", companyId: "client" }).lists.list({ companyId: "request" });
  await new Outbound({ ...options, token: "t", companyId: "client" }).lists.list();
  await new Outbound({ ...options, accessKey: "k" }).lists.list();
  const without = new Outbound({ ...options, token: "t" }).lists.list();

  await assert.rejects(without, { name: "TypeError", message: /companyId/ });
  assert.deepEqual(asked, ["request", "client", "mine"]);
});

Deno.test("an id that would lead to another operation is refused, and nothing is sent", async () => {
  const fetch = () => assert.fail("a request was sent");
  const { lists } = new Outbound({ baseUrl: "https://api.example.com", accessKey: "k", fetch });
  for (const id of ["", ".", "..", undefined as never]) {
    await assert.rejects(lists.remove(id), {
      name: "TypeError",
      message: `list_id: expected an id, got '${id}'`,
    });
  }
});

/** Gives each id in the path the name of its place, with a slash. */
async function call(outbound: Outbound, { resource, name, path, body, operation }: Method): Promise<void> {
  const resources = outbound as unknown as Record<string, Record<string, Call>>;
  const isFile = body && !operation.requestBody!.content["application/json"];
  const given = body ? [isFile ? '{"a":1}' : { a: 1 }] : [];
  await resources[resource]![name]!(...path.map((each) => `${each}/`), ...given, { extra: "1" });
}
