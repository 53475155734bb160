import assert from "node:assert/strict";
import {
  type CreateOutcome,
  createTemplate,
} from "../../../../supabase/functions/_shared/gateways/whatsapp/create_template.ts";
import { closedPort, withHttpServer, withRawServer, write } from "../local_server.ts";

const TOKEN = "EAAB-a-token-of-the-test";
const SUBMISSION = {
  wabaId: "1022",
  token: TOKEN,
  name: "order_ready",
  language: "es",
  category: "UTILITY",
  components: [{ type: "BODY", text: "Hola" }],
};

const submit = (apiUrl: string, token = TOKEN, timeoutMs = 2000) =>
  createTemplate({ apiUrl, apiVersion: "v25.0" }, { ...SUBMISSION, token }, { timeoutMs });

/** Returns the outcome of a submission to a platform that responds so. */
async function outcomeOf(respond: () => Response): Promise<CreateOutcome> {
  let outcome: CreateOutcome | undefined;
  await withHttpServer(respond, async (url) => void (outcome = await submit(url)));
  return outcome!;
}

const error = (fields: Record<string, unknown>, status = 400, headers = {}) =>
  Response.json({ error: { message: "(#100) Invalid parameter", code: 100, ...fields } }, {
    status,
    headers,
  });

Deno.test("createTemplate() sends the platform's call", async () => {
  let seen: unknown;
  await withHttpServer(async (request) => {
    const { pathname } = new URL(request.url);
    seen = [request.method, pathname, request.headers.get("authorization"), await request.json()];
    return Response.json({ id: "12", status: "PENDING", category: "MARKETING" });
  }, async (url) => {
    assert.deepEqual(await submit(url), {
      kind: "created",
      id: "12",
      status: "PENDING",
      category: "MARKETING",
    });
  });
  assert.deepEqual(seen, ["POST", "/v25.0/1022/message_templates", `Bearer ${TOKEN}`, {
    name: "order_ready",
    language: "es",
    category: "UTILITY",
    parameter_format: "POSITIONAL",
    components: [{ type: "BODY", text: "Hola" }],
  }]);
});

Deno.test("createTemplate() reports what the platform said, in its words and without the token", async () => {
  const refused = { kind: "refused", httpStatus: 400, code: 100, subcode: null };
  const responses: [respond: () => Response, outcome: unknown][] = [
    [() => error({ error_user_title: "Too long", error_user_msg: "At most 1024", error_subcode: 2388040 }), {
      ...refused,
      subcode: 2388040,
      reason: "Too long: At most 1024",
    }],
    [() => error({ error_data: { details: "body:\n bad" } }), { ...refused, reason: "body: bad" }],
    [() => error({}), { ...refused, reason: "(#100) Invalid parameter" }],
    [() => error({ error_user_msg: `You sent ${TOKEN}` }), { ...refused, reason: "You sent [token]" }],
    [() => error({ error_data: "plain \0" }), { ...refused, reason: "plain" }],
    [() => new Response("no", { status: 404 }), {
      ...refused,
      httpStatus: 404,
      code: null,
      reason: "HTTP 404 without a reason",
    }],
    [() => error({ code: 80008 }, 400, { "retry-after": "60" }), {
      kind: "busy",
      reason: "(#100) Invalid parameter",
      retryAfterS: 60,
    }],
    [() => new Response("", { status: 429 }), { kind: "busy", reason: "HTTP 429 without a reason" }],
    [() => error({ code: 2 }, 503), { kind: "unknown", reason: "(#100) Invalid parameter" }],
    [() => new Response("<html>", { status: 500 }), { kind: "unknown", reason: "HTTP 500 without a reason" }],
    [() => Response.json({ success: true }), { kind: "unknown", reason: "HTTP 200 without a reason" }],
    [() => Response.json({ id: 12 }), { kind: "created", id: "12", status: "PENDING", category: null }],
  ];
  for (const [respond, expected] of responses) assert.deepEqual(await outcomeOf(respond), expected);
});

Deno.test("createTemplate() distinguishes a request that never left from one whose response is missing", async () => {
  assert.equal((await submit(`http://127.0.0.1:${closedPort()}`)).kind, "unreachable");
  await withRawServer((connection) => connection.close(), async (url) => {
    assert.equal((await submit(url)).kind, "unknown");
  });
  await withRawServer(() => {}, async (url) => {
    assert.deepEqual(await submit(url, TOKEN, 50), {
      kind: "unknown",
      reason: "The platform did not respond in time",
    });
  });
  assert.equal((await submit("http://127.0.0.1:9", "a\nb")).kind, "refused");
});

Deno.test("createTemplate() submits once, even when a kept connection breaks under it", async () => {
  const answer = '{"id":"1"}';
  let requests = 0;
  await withRawServer(async (connection, count) => {
    requests = count;
    if (count > 1) return connection.close();
    await write(connection, `HTTP/1.1 200 OK\r\nContent-Length: ${answer.length}\r\n\r\n${answer}`);
  }, async (url) => {
    assert.equal((await submit(url)).kind, "created");
    assert.equal((await submit(url)).kind, "unknown");
  });
  assert.equal(requests, 2);
});
