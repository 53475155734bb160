import assert from "node:assert/strict";
import type { SendOutcome } from "../../../../supabase/functions/_shared/gateways/send_outcome.ts";
import {
  type OutboundCall,
  startCall,
} from "../../../../supabase/functions/_shared/gateways/voice/start_call.ts";
import type { JsonObject } from "../../../setup/http/http.ts";
import { bothWays, connections } from "../both_ways.ts";
import { closedPort, withHttpServer, withRawServer, write } from "../local_server.ts";

const API_KEY = "sk_very-secret-key";
const STARTED = { success: true, message: "Call queued", conversation_id: "conv_1", callSid: "CA1" };

interface Seen {
  method: string;
  path: string;
  key: string | null;
  body?: JsonObject;
}

/** Each test has a number of its own: what is known about one is kept, and a port may come back. */
let numbers = 0;

/** A platform with one number: its responses to a look-up and to a call. */
interface Platform {
  number?: () => Response;
  call?: (path: string) => Response;
}

const numberOf = (provider: string, more: JsonObject = {}) => () =>
  Response.json({ provider, phone_number_id: "phnum_1", phone_number: "+15550100300", ...more });

async function withPlatform(
  { number = numberOf("twilio"), call = () => Response.json(STARTED) }: Platform,
  use: (start: (changes?: Partial<OutboundCall>) => Promise<SendOutcome>, seen: Seen[]) => Promise<void>,
): Promise<void> {
  const seen: Seen[] = [];
  const phoneNumberId = `phnum_${++numbers}`;
  await withHttpServer(async (request) => {
    const { method, url, headers } = request;
    const path = new URL(url).pathname.replace(phoneNumberId, "phnum");
    const entry = { method, path, key: headers.get("xi-api-key") };
    if (method === "GET") {
      seen.push(entry);
      return number();
    }
    seen.push({ ...entry, body: JSON.parse((await request.text()).replaceAll(phoneNumberId, "phnum")) });
    return call(path);
  }, (url) => use((changes = {}) => start(url, { phoneNumberId, ...changes }), seen));
}

function start(
  apiUrl: string,
  changes: Partial<OutboundCall> = {},
  timeoutMs = 10_000,
): Promise<SendOutcome> {
  const call = {
    apiKey: API_KEY,
    phoneNumberId: `phnum_${++numbers}`,
    agentId: "agent_1",
    to: "15550100200",
    reference: "company:notification",
    tracedReference: "company:notification;span",
    dynamicVariables: { name: "Ada", attempt: 2, vip: true },
  };
  return startCall({ apiUrl, connections: connections() }, { ...call, ...changes }, { timeoutMs });
}

async function outcomeOf(answer: () => Response): Promise<SendOutcome> {
  let outcome: SendOutcome | undefined;
  await withPlatform({ call: answer }, async (start) => {
    outcome = await start();
  });
  return outcome!;
}

Deno.test(bothWays(
  "startCall() looks the number's provider up and makes the platform's call request",
  () =>
    withPlatform({}, async (start, seen) => {
      const outcome = await start();

      assert.deepEqual(outcome, {
        kind: "accepted",
        platformMessageId: "conv_1",
        httpStatus: 200,
        platformNumber: null,
      });
      assert.deepEqual(seen, [
        { method: "GET", path: "/v1/convai/phone-numbers/phnum", key: API_KEY },
        {
          method: "POST",
          path: "/v1/convai/twilio/outbound-call",
          key: API_KEY,
          body: {
            agent_id: "agent_1",
            agent_phone_number_id: "phnum",
            to_number: "+15550100200",
            conversation_initiation_client_data: {
              user_id: "company:notification",
              dynamic_variables: {
                name: "Ada",
                attempt: 2,
                vip: true,
                outbound_reference: "company:notification;span",
              },
            },
          },
        },
      ]);
    }),
));

Deno.test(bothWays(
  "startCall() takes the other path for a number on a SIP trunk, and asks about a number once",
  () =>
    withPlatform({ number: numberOf("sip_trunk") }, async (start, seen) => {
      await start();
      await start();

      assert.deepEqual(seen.map(({ method, path }) => `${method} ${path.replace("/v1/convai/", "")}`), [
        "GET phone-numbers/phnum",
        "POST sip-trunk/outbound-call",
        "POST sip-trunk/outbound-call",
      ]);
    }),
));

Deno.test(bothWays(
  "startCall() asks about a number once for calls that start at once, and again after a failure",
  () => {
    let lookUps = 0;
    return withPlatform({
      number: () => ++lookUps === 1 ? new Response(null, { status: 500 }) : numberOf("twilio")(),
    }, async (start, seen) => {
      const first = await Promise.all([start(), start(), start()]);
      const second = await Promise.all([start(), start(), start()]);

      assert.deepEqual(first.map(({ kind }) => kind), ["not_sent", "not_sent", "not_sent"]);
      assert.deepEqual(second.map(({ kind }) => kind), ["accepted", "accepted", "accepted"]);
      assert.equal(seen.filter(({ method }) => method === "GET").length, 2);
    });
  },
));

const wrongPath = () =>
  Response.json({ detail: { code: "invalid_provider_config", message: "Not a Twilio number" } }, {
    status: 400,
  });

Deno.test(bothWays(
  "startCall() finds the right path again when the number has moved to another provider",
  async () => {
    let provider = "twilio";
    await withPlatform({
      number: () => numberOf(provider)(),
      call: (path) => path.includes(provider.replace("_", "-")) ? Response.json(STARTED) : wrongPath(),
    }, async (start, seen) => {
      assert.equal((await start()).kind, "accepted");
      provider = "sip_trunk";
      assert.equal((await start()).kind, "accepted");
      assert.equal((await start()).kind, "accepted");

      const steps = seen.map(({ path }) => path.split("/").slice(3).join("/"));
      assert.deepEqual(steps, [
        "phone-numbers/phnum",
        "twilio/outbound-call",
        "twilio/outbound-call",
        "phone-numbers/phnum",
        "sip-trunk/outbound-call",
        "sip-trunk/outbound-call",
      ]);
    });
  },
));

Deno.test(bothWays(
  "startCall() stops the sender when its number is refused on the path it should take",
  () =>
    withPlatform({ call: wrongPath }, async (start, seen) => {
      const outcome = await start();

      assert.ok(outcome.kind === "refused");
      assert.deepEqual([outcome.action, outcome.code], ["stop_sender", "invalid_provider_config"]);
      assert.equal(seen.filter(({ method }) => method === "POST").length, 1);
    }),
));

const detail = (detail: unknown, status: number, headers: Record<string, string> = {}) => () =>
  Response.json({ detail }, { status, headers });

const RESPONSES: [why: string, answer: () => Response, outcome: Partial<SendOutcome>][] = [
  [
    "every line taken",
    detail({ type: "rate_limit_error", code: "concurrent_limit_exceeded", message: "20 of 20" }, 429),
    {
      kind: "refused",
      action: "wait_for_slot",
      code: "concurrent_limit_exceeded",
      reason: "As many calls are running as the account allows: 20 of 20",
    },
  ],
  ["every line taken, in older words", detail({ status: "too_many_concurrent_requests", message: "" }, 429), {
    kind: "refused",
    action: "wait_for_slot",
  }],
  [
    "too many requests",
    detail({ code: "rate_limit_exceeded", message: "" }, 429, { "retry-after": "7" }),
    { kind: "refused", action: "slow_sender", retryAfterS: 7 } as Partial<SendOutcome>,
  ],
  ["429 without a body", () => new Response(null, { status: 429 }), {
    kind: "refused",
    action: "slow_sender",
  }],
  ["a busy system", detail({ code: "system_busy" }, 429), { kind: "refused", action: "retry" }],
  ["a wrong key", detail({ type: "authentication_error", code: "invalid_api_key", message: "" }, 401), {
    kind: "refused",
    action: "stop_sender",
    code: "invalid_api_key",
  }],
  ["no credits", detail({ code: "insufficient_credits" }, 402), { kind: "refused", action: "stop_sender" }],
  ["no credits, in older words", detail({ status: "quota_exceeded", message: "None left" }, 401), {
    kind: "refused",
    action: "stop_sender",
    reason: "The account has no credits left: None left",
  }],
  ["no right to call", detail("Not allowed", 403), {
    kind: "refused",
    action: "stop_sender",
    code: null,
    reason: "The voice platform responded with HTTP 403: Not allowed",
  }],
  ["an unknown agent", detail({ code: "agent_not_found", message: "" }, 404), {
    kind: "refused",
    action: "fail",
    code: "agent_not_found",
  }],
  ["an unknown number", detail({ code: "phone_number_not_found" }, 404), {
    kind: "refused",
    action: "stop_sender",
  }],
  [
    "a list of complaints",
    detail([{ type: "missing", loc: ["body", "to_number"], msg: "Field required", input: null }], 422),
    {
      kind: "refused",
      action: "fail",
      code: null,
      reason: "The voice platform responded with HTTP 422: body.to_number: Field required",
    },
  ],
  ["an unknown code", detail({ code: "brand_new" }, 409), {
    kind: "refused",
    action: "retry",
    code: "brand_new",
  }],
  ["a code no text could hold", detail({ code: "x\0y" }, 400), {
    kind: "refused",
    action: "fail",
    code: null,
  }],
  ["no JSON", () => new Response("<html>", { status: 400 }), { kind: "refused", action: "fail", code: null }],
  [
    "a redirect, which is not followed",
    () => new Response(null, { status: 307, headers: { location: "/x" } }),
    {
      kind: "refused",
      action: "retry",
    },
  ],
  [
    "no success",
    () => Response.json({ success: false, message: "Unverified number", conversation_id: null }),
    {
      kind: "refused",
      action: "fail",
      reason: "The platform did not make the call: Unverified number",
    },
  ],
  ["no conversation", () => Response.json({ success: true, message: "", conversation_id: null }), {
    kind: "unknown",
    httpStatus: 200,
  }],
  ["a conversation's id that cannot be kept", () => Response.json({ ...STARTED, conversation_id: "a\0" }), {
    kind: "unknown",
  }],
  ["200 without JSON", () => new Response("ok"), { kind: "unknown", httpStatus: 200 }],
  ["500 with the platform's error", detail({ code: "internal_error", message: "" }, 500), {
    kind: "unknown",
    httpStatus: 500,
  }],
  ["503 with the platform's error", detail({ code: "maintenance", message: "" }, 503), { kind: "unknown" }],
];

for (const [why, answer, expected] of RESPONSES) {
  Deno.test(bothWays(`startCall() judges a response: ${why}`, async () => {
    const outcome = await outcomeOf(answer);

    assert.deepEqual({ ...outcome, ...expected }, outcome);
  }));
}

Deno.test(
  bothWays("startCall() keeps the key out of the reason when the platform quotes it", async () => {
    const outcome = await outcomeOf(detail({ code: "invalid_api_key", message: `Bad ${API_KEY}` }, 401));

    assert.ok(outcome.kind === "refused");
    assert.match(outcome.reason, /Bad \[token\]$/);
  }),
);

Deno.test(bothWays(
  "startCall() stops the sender for a key no header can carry, without asking or quoting it",
  async () => {
    const outcome = await start("http://127.0.0.1:1", { apiKey: `${API_KEY}\nX: y` });

    assert.ok(outcome.kind === "refused" && outcome.action === "stop_sender");
    assert.ok(!JSON.stringify(outcome).includes(API_KEY));
  },
));

const NUMBERS: [why: string, number: () => Response, outcome: Partial<SendOutcome>][] = [
  ["of a provider without a path", numberOf("exotel"), { kind: "refused", action: "stop_sender" }],
  ["that cannot call out", numberOf("twilio", { supports_outbound: false }), {
    kind: "refused",
    action: "stop_sender",
  }],
  ["the platform does not know", detail("Not found", 404), { kind: "refused", action: "stop_sender" }],
  ["the platform does not take for one", detail([{ loc: ["path"], msg: "Bad id" }], 422), {
    kind: "refused",
    action: "stop_sender",
  }],
  ["asked about with a wrong key", detail({ code: "invalid_api_key" }, 401), {
    kind: "refused",
    action: "stop_sender",
  }],
  ["asked about too often", detail({ code: "rate_limit_exceeded" }, 429), {
    kind: "refused",
    action: "slow_sender",
  }],
  ["behind a platform in trouble", detail({ code: "internal_error" }, 500), { kind: "not_sent" }],
  ["described in a way that makes no sense", () => new Response("hello"), { kind: "not_sent" }],
];

for (const [why, number, expected] of NUMBERS) {
  Deno.test(bothWays(
    `startCall() makes no call from a number ${why}`,
    () =>
      withPlatform({ number }, async (start, seen) => {
        const outcome = await start();

        assert.deepEqual({ ...outcome, ...expected }, outcome);
        assert.ok(seen.every(({ method }) => method === "GET"));
      }),
  ));
}

Deno.test(bothWays("startCall() says not_sent when the connection is refused", async () => {
  assert.equal((await start(`http://127.0.0.1:${closedPort()}`)).kind, "not_sent");
}));

const HEAD = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ";
const NUMBER = JSON.stringify({ provider: "twilio", phone_number_id: "phnum_1" });

/** A platform that returns the number's provider and then does this to each call request. */
function withBadLine(
  onCall: (connection: Deno.Conn) => Promise<void> | void,
  use: (url: string) => Promise<void>,
): Promise<void> {
  return withRawServer(async (connection, count) => {
    if (count === 1) await write(connection, `${HEAD}${NUMBER.length}\r\n\r\n${NUMBER}`);
    else await onCall(connection);
  }, use);
}

Deno.test(bothWays(
  "startCall() says unknown, and asks once, when the connection breaks after the request",
  async () => {
    let calls = 0;
    await withBadLine((connection) => {
      calls += 1;
      connection.close();
    }, async (url) => {
      assert.equal((await start(url)).kind, "unknown");
    });

    assert.equal(calls, 1);
  },
));

Deno.test(bothWays(
  "startCall() says unknown when no answer comes in time",
  () =>
    withBadLine(() => {}, async (url) => {
      assert.deepEqual(await start(url, {}, 200), {
        kind: "unknown",
        httpStatus: null,
        reason: "The platform did not respond in time",
      });
    }),
));
