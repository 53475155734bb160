import assert from "node:assert/strict";
import type { SendOutcome } from "../../../../supabase/functions/_shared/gateways/send_outcome.ts";
import {
  sendTemplate,
  type TemplateMessage,
} from "../../../../supabase/functions/_shared/gateways/whatsapp/send_template.ts";
import { bothWays, connections } from "../both_ways.ts";
import { closedPort, withHttpServer, withRawServer, write } from "../local_server.ts";

const TOKEN = "EAAG-secret-token";
const MESSAGE: TemplateMessage = {
  phoneNumberId: "990011223344556",
  token: TOKEN,
  to: { number: "525512345678", user_id: null },
  reference: "0190f1d2-0000-7000-8000-000000000001",
  template: { name: "order_ready", language: "en_US", components: [{ type: "body", parameters: [] }] },
};
const ACCEPTED = {
  messaging_product: "whatsapp",
  contacts: [{ input: "+525512345678", wa_id: "5215512345678" }],
  messages: [{ id: "wamid.A", message_status: "accepted" }],
};

function send(
  apiUrl: string,
  options: Partial<{ timeoutMs: number; signal: AbortSignal }> = {},
  message = MESSAGE,
) {
  return sendTemplate({ apiUrl, apiVersion: "v25.0", connections: connections() }, message, {
    timeoutMs: 10_000,
    ...options,
  });
}

async function outcomeOf(response: () => Response): Promise<SendOutcome> {
  let outcome: SendOutcome | undefined;
  await withHttpServer(response, async (url) => {
    outcome = await send(url);
  });
  return outcome!;
}

function platformError(code: number, status: number, extra: object = {}): () => Response {
  const error = { message: `(#${code}) Title`, type: "OAuthException", code, ...extra };
  return () => Response.json({ error }, { status });
}

Deno.test(bothWays("sendTemplate() makes the platform's send call", async () => {
  const seen: Record<string, unknown>[] = [];
  await withHttpServer(async (request) => {
    const { method, url, headers } = request;
    seen.push({ method, path: new URL(url).pathname, body: await request.json() });
    assert.equal(headers.get("authorization"), `Bearer ${TOKEN}`);
    assert.equal(headers.get("content-type"), "application/json");
    return Response.json(ACCEPTED);
  }, async (url) => {
    const outcome = await send(url);

    assert.deepEqual(outcome, {
      kind: "accepted",
      platformMessageId: "wamid.A",
      httpStatus: 200,
      platformNumber: "5215512345678",
    });
  });

  assert.deepEqual(seen, [{
    method: "POST",
    path: "/v25.0/990011223344556/messages",
    body: {
      messaging_product: "whatsapp",
      recipient_type: "individual",
      to: "+525512345678",
      type: "template",
      biz_opaque_callback_data: MESSAGE.reference,
      template: {
        name: "order_ready",
        language: { code: "en_US" },
        components: [{ type: "body", parameters: [] }],
      },
    },
  }]);
}));

Deno.test(bothWays("sendTemplate() leaves `components` out of a static template", async () => {
  let template: unknown;
  await withHttpServer(async (request) => {
    ({ template } = await request.json());
    return Response.json(ACCEPTED);
  }, async (url) => {
    await send(url, {}, { ...MESSAGE, template: { ...MESSAGE.template, components: [] } });
  });

  assert.deepEqual(template, { name: "order_ready", language: { code: "en_US" } });
}));

const RESPONSES: [why: string, response: () => Response, outcome: Partial<SendOutcome>][] = [
  [
    "accepted and kept back for a quality assessment",
    () => Response.json({ messages: [{ id: "wamid.B", message_status: "held_for_quality_assessment" }] }),
    { kind: "accepted", platformMessageId: "wamid.B", platformNumber: null },
  ],
  [
    "accepted without a message_status",
    () => Response.json({ contacts: [{ wa_id: "" }], messages: [{ id: "wamid.C" }] }),
    { kind: "accepted" },
  ],
  ["refused for a limit", platformError(130429, 429), {
    kind: "refused",
    action: "slow_sender",
    code: 130429,
  }],
  ["refused by code, whatever the status", platformError(3, 500), { kind: "refused", action: "stop_sender" }],
  ["refused with code 0", platformError(0, 401), { kind: "refused", action: "stop_sender", code: 0 }],
  ["refused with HTTP 200", platformError(131026, 200), { kind: "refused", action: "fail", httpStatus: 200 }],
  ["refused with an unknown code", platformError(777, 503), { kind: "refused", action: "retry", code: 777 }],
  [
    "refused with the platform's details",
    platformError(131009, 400, { error_data: { details: "body\n too\tlong" } }),
    { reason: "A parameter of the message has a wrong value: body too long" },
  ],
  [
    "refused with details as plain text",
    platformError(131009, 400, { error_data: "wrong" }),
    { reason: "A parameter of the message has a wrong value: wrong" },
  ],
  [
    "refused for a busy media host",
    platformError(131053, 400, { error_data: { details: "link answered 503" } }),
    { kind: "refused", action: "retry" },
  ],
  [
    "429 without a body",
    () => new Response(null, { status: 429 }),
    { kind: "refused", action: "slow_sender", code: null },
  ],
  [
    "429 with a page",
    () => new Response("<html>slow down", { status: 429 }),
    { kind: "refused", action: "slow_sender" },
  ],
  ["401 without JSON", () => new Response("no", { status: 401 }), { kind: "refused", action: "stop_sender" }],
  ["404 without JSON", () => new Response("no", { status: 404 }), {
    kind: "refused",
    action: "fail",
    code: null,
  }],
  ["400 with other JSON", () => Response.json([1], { status: 400 }), { kind: "refused", action: "fail" }],
  [
    "an error without a code",
    () => Response.json({ error: { message: "?" } }, { status: 400 }),
    { kind: "refused", code: null },
  ],
  [
    "a redirect, which is not followed",
    () => new Response(null, { status: 307, headers: { location: "/elsewhere" } }),
    { kind: "refused", action: "retry", httpStatus: 307 },
  ],
  ["408 of a proxy", () => new Response("late", { status: 408 }), { kind: "unknown", httpStatus: 408 }],
  ["500 without a body", () => new Response(null, { status: 500 }), { kind: "unknown", httpStatus: 500 }],
  ["502 with a page", () => new Response("<html>", { status: 502 }), { kind: "unknown", httpStatus: 502 }],
  ["503 with other JSON", () => Response.json({ ok: false }, { status: 503 }), {
    kind: "unknown",
    httpStatus: 503,
  }],
  ["200 without a body", () => new Response(null), { kind: "unknown", httpStatus: 200 }],
  ["200 without JSON", () => new Response("ok"), { kind: "unknown", httpStatus: 200 }],
  ["200 without messages", () => Response.json({ messages: [] }), { kind: "unknown", httpStatus: 200 }],
  ["200 with an empty id", () => Response.json({ messages: [{ id: "" }] }), {
    kind: "unknown",
    httpStatus: 200,
  }],
  ["200 with an id that cannot be kept", () => Response.json({ messages: [{ id: "wamid.\0" }] }), {
    kind: "unknown",
    httpStatus: 200,
  }],
  ["200 with half a character in the id", () => new Response('{"messages":[{"id":"\\ud800"}]}'), {
    kind: "unknown",
  }],
  [
    "200 with an id longer than an index takes",
    () => Response.json({ messages: [{ id: "世".repeat(513) }] }),
    {
      kind: "unknown",
    },
  ],
  ["200 with a number for an id", () => Response.json({ messages: [{ id: 5 }] }), { kind: "unknown" }],
  [
    "200 with more than 64 KiB",
    () => Response.json({ ...ACCEPTED, padding: "x".repeat(65_536) }),
    { kind: "unknown", httpStatus: 200 },
  ],
];

for (const [why, response, expected] of RESPONSES) {
  Deno.test(bothWays(`sendTemplate() judges a response: ${why}`, async () => {
    const outcome = await outcomeOf(response);

    assert.deepEqual({ ...outcome, ...expected }, outcome);
  }));
}

const RETRY_AFTER: [header: string, seconds: number | undefined][] = [
  ["17", 17],
  ["0", 0],
  ["Wed, 21 Oct 2015 07:28:00 GMT", 0],
  ["soon", undefined],
  ["-5", undefined],
  ["1e9", undefined],
];

for (const [header, seconds] of RETRY_AFTER) {
  Deno.test(bothWays(`sendTemplate() reads retry-after: ${header} as ${seconds}`, async () => {
    const outcome = await outcomeOf(() =>
      new Response(null, { status: 429, headers: { "retry-after": header } })
    );

    assert.ok(outcome.kind === "refused");
    assert.equal(outcome.retryAfterS, seconds);
  }));
}

Deno.test(bothWays("sendTemplate() reads retry-after as a date in the future", async () => {
  const date = new Date(Date.now() + 60_000).toUTCString();
  const outcome = await outcomeOf(() =>
    new Response(null, { status: 429, headers: { "retry-after": date } })
  );

  assert.ok(outcome.kind === "refused" && outcome.retryAfterS !== undefined);
  assert.ok(outcome.retryAfterS > 30 && outcome.retryAfterS <= 60);
}));

Deno.test(
  bothWays("sendTemplate() keeps the token out of the reason when the platform quotes it", async () => {
    const outcome = await outcomeOf(platformError(190, 401, { error_data: `Bad token ${TOKEN}` }));

    assert.ok(outcome.kind === "refused");
    assert.match(outcome.reason, /Bad token \[token\]$/);
  }),
);

Deno.test(bothWays(
  "sendTemplate() keeps the token out of a long reason, where it might be cut in two",
  async () => {
    const outcome = await outcomeOf(platformError(190, 401, { error_data: "x".repeat(290) + TOKEN }));

    assert.ok(outcome.kind === "refused");
    assert.ok(!outcome.reason.includes(TOKEN.slice(0, 4)), outcome.reason);
  },
));

Deno.test(bothWays(
  "sendTemplate() stops the sender for a token no header can carry, without quoting it",
  async () => {
    for (const token of ["", `${TOKEN}\nX: y`, `${TOKEN}\0`, `${TOKEN}€`]) {
      const outcome = await send("http://127.0.0.1:1", {}, { ...MESSAGE, token });

      assert.ok(outcome.kind === "refused" && outcome.action === "stop_sender");
      assert.ok(!JSON.stringify(outcome).includes(TOKEN));
    }
  },
));

Deno.test(bothWays("sendTemplate() says not_sent when the connection is refused", async () => {
  const outcome = await send(`http://127.0.0.1:${closedPort()}`);

  assert.deepEqual(outcome, { kind: "not_sent", reason: "No connection to the platform could be made" });
}));

Deno.test(bothWays("sendTemplate() says not_sent when the host has no address", async () => {
  const outcome = await send("http://platform.invalid");

  assert.deepEqual(outcome, { kind: "not_sent", reason: "The platform's host name could not be resolved" });
}));

Deno.test(bothWays("sendTemplate() says not_sent when the other side does not speak TLS", async () => {
  await withRawServer((connection) => write(connection, "HTTP/1.1 400 Bad Request\r\n\r\n"), async (url) => {
    const outcome = await send(url.replace("http:", "https:"));

    assert.deepEqual(outcome, {
      kind: "not_sent",
      reason: "No secure connection to the platform could be made",
    });
  });
}));

Deno.test(bothWays("sendTemplate() says not_sent when it was stopped before it began", async () => {
  const outcome = await send("http://platform.invalid", { signal: AbortSignal.abort() });

  assert.deepEqual(outcome, { kind: "not_sent", reason: "Stopped before anything was sent" });
}));

const BROKEN: [why: string, answer: string][] = [
  ["the connection closes before an answer", ""],
  ["the connection closes inside the head", "HTTP/1.1 200 OK\r\ncontent-le"],
  ["the connection closes inside the body", "HTTP/1.1 200 OK\r\ncontent-length: 90\r\n\r\n" + '{"messages":'],
  ["the connection closes inside a chunk", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\n{"],
  ["the answer is no HTTP", "220 mail.example.test ESMTP\r\n"],
];

for (const [why, answer] of BROKEN) {
  Deno.test(bothWays(`sendTemplate() says unknown when ${why}`, async () => {
    await withRawServer(async (connection) => {
      await write(connection, answer);
      connection.close();
    }, async (url) => {
      const outcome = await send(url);

      assert.equal(outcome.kind, "unknown");
    });
  }));
}

Deno.test(bothWays("sendTemplate() says refused when a refusal's body is cut off", async () => {
  await withRawServer(async (connection) => {
    await write(connection, "HTTP/1.1 400 Bad Request\r\ncontent-length: 90\r\n\r\n{");
    connection.close();
  }, async (url) => {
    const outcome = await send(url);

    assert.ok(outcome.kind === "refused");
    assert.deepEqual([outcome.action, outcome.code, outcome.httpStatus], ["fail", null, 400]);
  });
}));

Deno.test(bothWays("sendTemplate() says unknown when no answer comes in time", async () => {
  await withRawServer(() => {}, async (url) => {
    const outcome = await send(url, { timeoutMs: 50 });

    assert.deepEqual(outcome, {
      kind: "unknown",
      httpStatus: null,
      reason: "The platform did not respond in time",
    });
  });
}));

Deno.test(bothWays("sendTemplate() says unknown when the body does not come in time", async () => {
  const head = "HTTP/1.1 200 OK\r\ncontent-length: 90\r\n\r\n{";
  await withRawServer((connection) => write(connection, head), async (url) => {
    const outcome = await send(url, { timeoutMs: 50 });

    assert.deepEqual([outcome.kind, "httpStatus" in outcome && outcome.httpStatus], ["unknown", 200]);
  });
}));

Deno.test(bothWays("sendTemplate() says unknown when it is stopped while it waits", async () => {
  const stop = new AbortController();
  await withRawServer(() => stop.abort(), async (url) => {
    const outcome = await send(url, { signal: stop.signal });

    assert.deepEqual(outcome, {
      kind: "unknown",
      httpStatus: null,
      reason: "Stopped while waiting for the platform's response",
    });
  });
}));

Deno.test(
  bothWays(
    "sendTemplate() sends once when a kept-alive connection breaks after the request",
    async () => {
      const requests: number[] = [];
      const answer = JSON.stringify(ACCEPTED);
      await withRawServer(async (connection, count) => {
        requests.push(count);
        if (count === 1) {
          await write(connection, `HTTP/1.1 200 OK\r\ncontent-length: ${answer.length}\r\n\r\n${answer}`);
        } else connection.close();
      }, async (url) => {
        const first = await send(url);
        const second = await send(url);

        assert.deepEqual([first.kind, second.kind], ["accepted", "unknown"]);
      });
      assert.deepEqual(requests, [1, 2]);
    },
  ),
);
