import assert from "node:assert/strict";
import { type CollectedDocument, postmanCollection } from "../../../cli/release_build/postman/collection.ts";
import type { DocumentedOperation } from "../../../cli/sdk_generate/document.ts";

/** Returns the only request of a document with this operation. */
function requestOf(path: string, operation: Partial<DocumentedOperation>) {
  const documented = { operationId: "x", summary: "Do it", tags: ["Things"], responses: {}, ...operation };
  const document: CollectedDocument = {
    info: { title: "api", version: "1", description: "" },
    servers: [{ url: "/v1" }],
    tags: [{ name: "Things", description: "" }, { name: "Empty", description: "" }],
    paths: { [path]: { post: documented } },
    components: {
      schemas: {},
      securitySchemes: {
        accessKey: { type: "http", scheme: "bearer" },
        accessKeyInQuery: { type: "apiKey", in: "query", name: "access_key" },
        userToken: { type: "http", scheme: "bearer" },
      },
    },
  };
  const collection = JSON.parse(JSON.stringify(postmanCollection(document)));
  assert.equal(collection.item.length, 1);
  const variables = collection.variable.map(({ key }: { key: string }) => key);
  return { ...collection.item[0].item[0].request, variables };
}

const SCHEMA = { type: "string" };

Deno.test("a request of the collection has the parameters of its operation, optional ones switched off", () => {
  const { method, url, header } = requestOf("/a/{id}", {
    parameters: [
      { name: "id", in: "path", required: true, example: "7", schema: SCHEMA },
      { name: "q", in: "query", required: true, example: "a&b", schema: SCHEMA },
      { name: "limit", in: "query", example: 5, schema: SCHEMA },
      { name: "If-Match", in: "header", description: "The ETag", schema: SCHEMA },
    ],
  });

  assert.equal(method, "POST");
  assert.equal(url.raw, "{{base_url}}/a/:id?q=a%26b");
  assert.deepEqual(url.path, ["a", ":id"]);
  assert.deepEqual(url.variable, [{ key: "id", value: "7", description: "" }]);
  assert.deepEqual(url.query, [
    { key: "q", value: "a&b", description: "", disabled: false },
    { key: "limit", value: "5", description: "", disabled: true },
  ]);
  assert.deepEqual(header, [{ key: "If-Match", value: "", description: "The ETag", disabled: true }]);
});

Deno.test("a request of the collection takes the access key where it may, and once", () => {
  const parameters = [{ name: "access_key", in: "query", example: "outbound_k", schema: SCHEMA } as const];
  const security = [{ userToken: [] }, { accessKey: [] }, { accessKeyInQuery: [] }];

  const both = requestOf("/a", { security, parameters });
  const member = requestOf("/a", { security: [{ userToken: [] }] });
  const open = requestOf("/a", {});
  const query = requestOf("/a", { security: [{ accessKeyInQuery: [] }], parameters });

  assert.deepEqual([both.auth.bearer[0].value, both.url.query], ["{{access_key}}", []]);
  assert.equal(member.auth.bearer[0].value, "{{user_token}}");
  assert.deepEqual([open.auth, open.variables], [{ type: "noauth" }, ["base_url"]]);
  assert.deepEqual(
    query.auth.apikey.map(({ value }: { value: string }) => value),
    ["access_key", "{{access_key_in_query}}", "query"],
  );
});

for (
  const [what, type, example, body] of [
    ["JSON", "application/json", { a: 1 }, { mode: "raw", raw: '{\n  "a": 1\n}' }],
    ["text", "text/csv", "number\n1", { mode: "raw", raw: "number\n1" }],
    ["a file to choose", "image/png", undefined, { mode: "file", raw: undefined }],
  ] as const
) {
  Deno.test(`a request of the collection has ${what} as its body`, () => {
    const content = { [type]: { schema: SCHEMA, ...example !== undefined && { example } } };
    const request = requestOf("/a", { requestBody: { content } });

    assert.deepEqual(request.header, [{ key: "Content-Type", value: type }]);
    assert.deepEqual({ mode: request.body.mode, raw: request.body.raw }, body);
  });
}
