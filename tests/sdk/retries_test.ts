import assert from "node:assert/strict";
import { Outbound, OutboundError, type OutboundOptions } from "../../sdk/typescript/src/mod.ts";
import { refusal, type Step, success, withScriptedService } from "./scripted_service.ts";

const DONE = success({ companies: [] });

interface Case {
  title: string;
  steps: Step[];
  call: (outbound: Outbound) => Promise<unknown>;
  attempts: number;
  /** The code of the error it ends with; none where it succeeds. */
  code?: string;
  options?: Partial<OutboundOptions>;
}

const read = ({ companies }: Outbound) => companies.list();
const resend = ({ campaigns }: Outbound) => campaigns.resend("x");
const pause = ({ campaigns }: Outbound) => campaigns.pause("x");
const create = ({ agents }: Outbound) => agents.create({ agent_id: "a", name: "A", sender_id: "s" } as never);

const SOON = { "Retry-After": "0" };
const DOWN = refusal(503, "service_unavailable", SOON);

const CASES: Case[] = [
  { title: "408", steps: [refusal(408, "request_timeout", SOON), DONE], call: create, attempts: 2 },
  { title: "429", steps: [refusal(429, "rate_limit_exceeded", SOON), DONE], call: create, attempts: 2 },
  {
    title: "409 of a key in use",
    steps: [refusal(409, "idempotency_key_in_use", SOON), DONE],
    call: resend,
    attempts: 2,
  },
  {
    title: "409 of anything else",
    steps: [refusal(409, "campaign_cancelled", SOON), DONE],
    call: resend,
    attempts: 1,
    code: "campaign_cancelled",
  },
  { title: "503 to a read", steps: [DOWN, DONE], call: read, attempts: 2 },
  { title: "503 to a POST with a key", steps: [DOWN, DONE], call: resend, attempts: 2 },
  { title: "503 to a POST that is harmless twice", steps: [DOWN, DONE], call: pause, attempts: 2 },
  {
    title: "503 to any other POST",
    steps: [DOWN, DONE],
    call: create,
    attempts: 1,
    code: "service_unavailable",
  },
  { title: "a lost response to a read", steps: ["cut", DONE], call: read, attempts: 2 },
  { title: "a lost response to a POST with a key", steps: ["cut", DONE], call: resend, attempts: 2 },
  {
    title: "a lost response to any other POST",
    steps: ["cut", DONE],
    call: create,
    attempts: 1,
    code: "connection_failed",
  },
  {
    title: "no response in time to a read",
    steps: ["silence", DONE],
    call: read,
    attempts: 2,
    options: { timeoutMs: 100 },
  },
  {
    title: "no response in time to any other POST",
    steps: ["silence", DONE],
    call: create,
    attempts: 1,
    code: "timed_out",
    options: { timeoutMs: 100 },
  },
  {
    title: "400",
    steps: [refusal(400, "validation_failed")],
    call: read,
    attempts: 1,
    code: "validation_failed",
  },
  { title: "401", steps: [refusal(401, "unauthorized")], call: read, attempts: 1, code: "unauthorized" },
  {
    title: "503 without end",
    steps: [DOWN],
    call: read,
    attempts: 3,
    code: "service_unavailable",
    options: { retries: 2 },
  },
  {
    title: "a wait beyond the total time",
    steps: [refusal(429, "rate_limit_exceeded", { "Retry-After": "3600" })],
    call: read,
    attempts: 1,
    code: "rate_limit_exceeded",
  },
  {
    title: "a quota of the day, also where a new day is near",
    steps: [refusal(429, "quota_exceeded", { "Retry-After": "1" }), DONE],
    call: read,
    attempts: 1,
    code: "quota_exceeded",
  },
];

for (const { title, steps, call, attempts, code, options } of CASES) {
  Deno.test(`the client ${attempts > 1 ? "retries" : "does not retry"} ${title}`, () =>
    withScriptedService(steps, async ({ baseUrl, seen }) => {
      const outbound = new Outbound({ baseUrl, token: "t", companyId: "c", ...options });

      const error = await call(outbound).then(() => undefined, (error) => error);

      assert.equal(error?.code, code);
      assert.equal(error === undefined || error instanceof OutboundError, true);
      assert.equal(seen.length, attempts);
      const keys = new Set(seen.map(({ headers }) => headers.get("idempotency-key")));
      assert.equal(keys.size, 1, "every attempt has the same key");
      assert.equal(keys.has(null), call !== resend, "a key is sent where the operation takes one");
    }));
}

Deno.test("the client waits as long as Retry-After says", () =>
  withScriptedService(
    [refusal(429, "rate_limit_exceeded", { "Retry-After": "1" }), DONE],
    async ({ baseUrl, seen }) => {
      await read(new Outbound({ baseUrl, token: "t" }));

      const waitedMs = seen[1]!.at - seen[0]!.at;
      assert.ok(waitedMs >= 990, `${waitedMs}`);
    },
  ));

Deno.test("a caller's own Idempotency-Key is kept", () =>
  withScriptedService([DOWN, DONE], async ({ baseUrl, seen }) => {
    const { campaigns } = new Outbound({ baseUrl, accessKey: "k" });

    await campaigns.resend("x", undefined, { headers: { "Idempotency-Key": "mine" } });

    assert.deepEqual(seen.map(({ headers }) => headers.get("idempotency-key")), ["mine", "mine"]);
  }));

Deno.test("credentials are in the header and never in the URL", () =>
  withScriptedService([success({})], async ({ baseUrl, seen }) => {
    let count = 0;

    await pause(new Outbound({ baseUrl, accessKey: "outbound_secret" }));
    await read(new Outbound({ baseUrl: `${baseUrl}/`, token: () => Promise.resolve(`token${++count}`) }));
    await new Outbound({ baseUrl }).access.logIn({ email: "a@b.c", password: "p" });

    assert.deepEqual(seen.map(({ path, headers }) => [path, headers.get("authorization")]), [
      ["/manage/companies/mine/campaigns/x/pause", "Bearer outbound_secret"],
      ["/manage/companies", "Bearer token1"],
      ["/auth?grant_type=password", null],
    ]);
    assert.doesNotMatch(
      Deno.inspect(new Outbound({ baseUrl, accessKey: "outbound_secret" }), { depth: 9 }),
      /secret/,
    );
  }));

Deno.test("an abort ends a request that is under way, and the wait before a retry", () =>
  withScriptedService(
    ["silence", refusal(429, "rate_limit_exceeded", { "Retry-After": "60" })],
    async ({ baseUrl, seen }) => {
      const { companies } = new Outbound({ baseUrl, token: "t" });
      for (const _ of ["under way", "waiting"]) {
        const stop = new AbortController();
        const before = seen.length;
        const ended = assert.rejects(companies.list({ signal: stop.signal }), /enough/);
        while (seen.length === before) await new Promise((resolve) => setTimeout(resolve, 5));

        stop.abort(new Error("enough"));

        await ended;
      }
      await assert.rejects(companies.list({ signal: AbortSignal.abort(new Error("enough")) }), /enough/);
      assert.equal(seen.length, 2);
    },
  ));

Deno.test("OutboundError carries what the service says", () =>
  withScriptedService([
    () =>
      Response.json({
        error: "quota_exceeded",
        message: "The quota is used up",
        details: { limit: 5 },
        request_id: "req_2",
        retry_after: 3600,
      }, { status: 429, headers: { "X-Request-Id": "req_2", "Retry-After": "3600" } }),
    () => Response.json({ success: false, message: "Campaign not found" }, { status: 404 }),
    () => new Response("<html>", { status: 502 }),
    () => new Response("<html>", { headers: { "Content-Type": "application/json" } }),
  ], async ({ baseUrl }) => {
    const outbound = new Outbound({ baseUrl, token: "t", retries: 0 });
    const failure = async () => {
      const { status, code, message, details, requestId, retryAfterS } = await read(outbound).then(
        () => assert.fail("no error"),
        (error: OutboundError) => error,
      );
      return { status, code, message, details, requestId, retryAfterS };
    };

    const errors = [await failure(), await failure(), await failure(), await failure()];

    const none = { details: undefined, requestId: undefined, retryAfterS: undefined };
    assert.deepEqual(errors, [
      {
        status: 429,
        code: "quota_exceeded",
        message: "The quota is used up",
        details: { limit: 5 },
        requestId: "req_2",
        retryAfterS: 3600,
      },
      { status: 404, code: "not_found", message: "Campaign not found", ...none },
      { status: 502, code: "http_502", message: "The service responded with 502", ...none },
      {
        status: 200,
        code: "invalid_response",
        message: "The response is not what the API document describes; is baseUrl the address of the API?",
        ...none,
      },
    ]);
  }));

Deno.test("a page of another server with status 200 is invalid_response, in every method", () =>
  withScriptedService([
    () => new Response("<!doctype html><title>Log in</title>", { headers: { "Content-Type": "text/html" } }),
  ], async ({ baseUrl, seen }) => {
    const outbound = new Outbound({ baseUrl, accessKey: "k" });
    const notification = { name_template: "t", campaign_name: "c" } as never;
    const calls = [
      () => read(outbound),
      () => outbound.notifications.send(notification),
      () => outbound.sendCampaign(notification, [{ number: "34600111222" }]),
      () => outbound.waitForCampaign("x"),
    ];
    for (const call of calls) {
      await assert.rejects(call(), { name: "OutboundError", code: "invalid_response", status: 200 });
    }
    assert.equal(seen.length, calls.length);
  }));

Deno.test("new Outbound() refuses options that do not fit, and names them", () => {
  const refused: [OutboundOptions, RegExp][] = [
    [{ baseUrl: "example.com" }, /baseUrl/],
    [{ baseUrl: "ftp://example.com" }, /baseUrl/],
    [{ baseUrl: "https://example.com?access_key=x" }, /baseUrl/],
    [{ baseUrl: "https://example.com", accessKey: "k", token: "t" }, /accessKey and token/],
    [{ baseUrl: "https://example.com", timeoutMs: -1 }, /timeoutMs/],
    [{ baseUrl: "https://example.com", retries: NaN }, /retries/],
  ];
  for (const [options, message] of refused) assert.throws(() => new Outbound(options), message);
});
