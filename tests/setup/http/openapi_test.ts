import assert from "node:assert/strict";
import { createTestHttp, type SeenAnswer } from "./http.ts";
import { assertDocumented, checkAnswer, type OpenApiDocument } from "./openapi.ts";

const DOCUMENT = {
  openapi: "3.1.0",
  components: {
    schemas: {
      Status: {
        type: "object",
        required: ["success", "id"],
        properties: { success: { const: true }, id: { type: "string", format: "uuid", example: "x" } },
        additionalProperties: false,
      },
    },
  },
  paths: {
    "/things/{id}": {
      get: {
        responses: {
          "200": {
            headers: { "X-Request-Id": { required: true } },
            content: { "application/json": { schema: { $ref: "#/components/schemas/Status" } } },
          },
          "204": {},
          "404": { content: { "application/json": {} } },
        },
      },
    },
    "/things/all": {
      get: { responses: { "200": { content: { "text/html": { schema: { type: "string" } } } } } },
    },
  },
} as OpenApiDocument;

/** A good answer of `GET /things/{id}`, changed as the test says. */
function answer(overrides: Partial<SeenAnswer> = {}): SeenAnswer {
  return {
    method: "GET",
    path: "/functions/v1/things/7?access_key=x",
    status: 200,
    headers: new Headers({ "content-type": "application/json; charset=utf-8", "x-request-id": "r" }),
    body: { success: true, id: "8f14e45f-ceea-467f-9575-2f8f7d3c1b1a" },
    ...overrides,
  };
}

Deno.test("checkAnswer() accepts what the document describes", () => {
  const html = new Headers({ "content-type": "text/html" });

  assert.equal(checkAnswer(DOCUMENT, answer()), undefined);
  assert.equal(checkAnswer(DOCUMENT, answer({ status: 204, headers: new Headers(), body: null })), undefined);
  assert.equal(
    checkAnswer(DOCUMENT, answer({ path: "/functions/v1/things/all", headers: html, body: "x" })),
    undefined,
  );
  assert.equal(checkAnswer(DOCUMENT, answer({ path: "/functions/v1/other", status: 404 })), undefined);
  assert.equal(checkAnswer(DOCUMENT, answer({ method: "PUT", status: 405 })), undefined);
});

Deno.test("checkAnswer() names what the document does not describe", () => {
  const problems = [
    answer({ path: "/functions/v1/other" }),
    answer({ method: "POST" }),
    answer({ status: 500 }),
    answer({ status: 404 }),
    answer({ status: 204 }),
    answer({ headers: new Headers({ "content-type": "application/json" }) }),
    answer({ headers: new Headers({ "content-type": "text/plain", "x-request-id": "r" }) }),
    answer({ body: { success: true } }),
    answer({ body: { success: true, id: "no uuid", more: 1 } }),
  ].map((seen) => checkAnswer(DOCUMENT, seen));

  assert.deepEqual(problems, [
    "undocumented path",
    "undocumented method",
    "undocumented status",
    "no schema",
    "undocumented body",
    "missing headers: X-Request-Id",
    "undocumented content type 'text/plain'",
    "body must have required property 'id'",
    'body must NOT have additional properties, /id must match format "uuid"',
  ]);
});

Deno.test("assertDocumented() fails with a line for each answer that does not fit, without its query", () => {
  const seen = [answer(), answer({ status: 500 }), answer({ status: 500 })];

  assert.throws(() => assertDocumented(DOCUMENT, seen), {
    actual: ["GET /functions/v1/things/7 500: undocumented status"],
  });
});

Deno.test("createTestHttp() sends what it is given and remembers what came back", async () => {
  const http = createTestHttp({
    fetch: async (request) =>
      Response.json({
        url: request.url,
        type: request.headers.get("content-type"),
        body: await request.text(),
      }, { status: 201 }),
  });

  const json = await http.post("/a", { x: 1 }, { query: { access_key: "k&" } });
  const raw = await http.post("/b", undefined, { rawBody: "{", headers: { "content-type": "text/plain" } });

  assert.deepEqual(json.body, {
    url: "http://localhost/functions/v1/a?access_key=k%26",
    type: "application/json",
    body: '{"x":1}',
  });
  assert.deepEqual([raw.status, raw.body.type, raw.body.body], [201, "text/plain", "{"]);
  assert.deepEqual(http.seen.map(({ method, path }) => `${method} ${path}`), [
    "POST /functions/v1/a?access_key=k%26",
    "POST /functions/v1/b",
  ]);
});
