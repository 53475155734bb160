import assert from "node:assert/strict";
import { withHttpServer } from "../../_shared/gateways/local_server.ts";
import { calledNumber } from "../../setup/fixtures/calling_company.ts";
import { insertMember } from "../../setup/fixtures/fixtures.ts";
import { BASE_PATH } from "../../setup/http/http.ts";
import { insertCalls, type InsertedCalls } from "./insert_calls.ts";
import { type Manage, withManage } from "../with_manage.ts";

const SOUND = new Uint8Array([0x49, 0x44, 0x33, 0, 255, 254]);

interface Recorded extends Manage, InsertedCalls {
  /** The requests to the platform: path and key. */
  asked: (string | null)[][];
}

/** Calls `fn` with three calls of a company, and a platform that responds like this. */
async function withRecording(
  fn: (t: Recorded) => Promise<void>,
  respond: () => Response = () => new Response(SOUND, { headers: { "content-type": "audio/mpeg" } }),
): Promise<void> {
  const asked: (string | null)[][] = [];
  await withHttpServer(({ url, headers }) => {
    asked.push([new URL(url).pathname, headers.get("xi-api-key")]);
    return respond();
  }, (platformUrl) =>
    withManage(async (t) => {
      await fn({ ...t, ...await insertCalls(t), asked });
    }, { env: { ELEVENLABS_API_URL: platformUrl, ELEVENLABS_API_KEY: "sk_of-this-server" } }));
}

/** The request as a browser makes it, with the bytes that come. */
async function download({ app, members, caller, answered }: Recorded): Promise<Response> {
  const path = `${BASE_PATH}/manage/companies/${caller.id}/calls/${answered}/recording`;
  const headers = { authorization: `Bearer ${members.viewer.token}` };
  return await app.fetch(new Request(`http://localhost${path}`, { headers }));
}

Deno.test("GET …/calls/{notification_id}/recording streams the sound, with the key of the call's sender", () =>
  withRecording(async (t) => {
    const { conversation_id } = (await t.read(`/calls/${t.answered}`)).body;

    const response = await download(t);

    assert.equal(response.status, 200);
    assert.deepEqual(await response.bytes(), SOUND);
    const headers = ["content-type", "content-length", "content-disposition", "cache-control"];
    assert.deepEqual(headers.map((name) => response.headers.get(name)), [
      "audio/mpeg",
      String(SOUND.length),
      `attachment; filename="call-${t.answered}.mp3"`,
      "private, no-store",
    ]);
    assert.equal(response.headers.get("x-content-type-options"), "nosniff");
    assert.deepEqual(t.asked, [[
      `/v1/convai/conversations/${conversation_id}/audio`,
      t.caller.sender.token,
    ]]);
    const rows = await t.sql`
      select actor, action, subject from outbound.audit_log where company_id = ${t.caller.id}`;
    const actor = `user:${t.members.viewer.userId}`;
    assert.deepEqual([...rows], [{ actor, action: "recording.read", subject: t.answered }]);
  }));

Deno.test("HEAD …/calls/{notification_id}/recording reads no sound from the platform", async () => {
  const cancelled = Promise.withResolvers<void>();
  const endless = () =>
    new Response(
      new ReadableStream({
        pull: (controller) => controller.enqueue(SOUND),
        cancel: () => cancelled.resolve(),
      }),
      { headers: { "content-type": "audio/mpeg" } },
    );
  await withRecording(async (t) => {
    const path = `${BASE_PATH}/manage/companies/${t.caller.id}/calls/${t.answered}/recording`;
    const headers = { authorization: `Bearer ${t.members.viewer.token}` };

    const response = await t.app.fetch(new Request(`http://localhost${path}`, { method: "HEAD", headers }));

    assert.deepEqual([response.status, response.body], [200, null]);
    await cancelled.promise;
  }, endless);
});

Deno.test("GET …/calls/{notification_id}/recording uses the server's key for a sender without one", () =>
  withRecording(async (t) => {
    await t.sql`update outbound.senders set token_sealed = null where id = ${t.caller.sender.id}`;

    const response = await download(t);

    await response.body?.cancel();
    assert.deepEqual([response.status, t.asked.map(([, key]) => key)], [200, ["sk_of-this-server"]]);
  }));

Deno.test("GET …/calls/{notification_id}/recording asks the platform for no call that goes on, is unknown, or is another company's", () =>
  withRecording(async (t) => {
    const { read, answered, ongoing, busy } = t;
    await t.sql`update outbound.calls set conversation_id = null where notification_id = ${busy}`;

    const refusals = [
      await read(`/calls/${ongoing}/recording`),
      await read(`/calls/${busy}/recording`),
      await read(`/calls/${crypto.randomUUID()}/recording`),
      await read("/calls/1/recording"),
      await t.members.viewer.ask("GET", `/companies/${t.company.id}/calls/${answered}/recording`),
    ];

    assert.deepEqual(
      refusals.map(({ status, body }) => [status, body.error]),
      Array(5).fill([404, "not_found"]),
    );
    assert.match(refusals[0]!.body.message, /going on/);
    assert.deepEqual(t.asked, []);
  }));

Deno.test("GET …/calls/{notification_id}/recording has nothing of a person who was erased", () =>
  withRecording(async (t) => {
    const { owner } = t.members;
    await insertMember(t.sql, t.caller.id, owner.userId, "owner");
    const body = { number: calledNumber(0) };
    const erased = await owner.ask("POST", `/companies/${t.caller.id}/contacts/erase`, body);
    assert.equal(erased.status, 200);

    const response = await t.read(`/calls/${t.answered}/recording`);

    assert.deepEqual([response.status, response.body.error], [404, "not_found"]);
    assert.deepEqual(t.asked, []);
  }));

const FAILURES: [what: string, respond: () => Response, status: number, error: string][] = [
  [
    "a call without a recording",
    () => Response.json({ detail: { code: "conversation_not_found" } }, { status: 404 }),
    404,
    "not_found",
  ],
  [
    "a key that is refused",
    () => Response.json({ detail: "sk_secret" }, { status: 401 }),
    502,
    "service_unavailable",
  ],
  ["a platform in trouble", () => new Response("sk_secret", { status: 503 }), 502, "service_unavailable"],
  [
    "a page instead of sound",
    () => new Response("sk_secret", { headers: { "content-type": "text/html" } }),
    502,
    "service_unavailable",
  ],
  [
    "a recording that is too large",
    () =>
      new Response(new ReadableStream(), {
        headers: { "content-type": "audio/mpeg", "content-length": "104857601" },
      }),
    413,
    "payload_too_large",
  ],
];

for (const [what, respond, status, error] of FAILURES) {
  Deno.test(`GET …/calls/{notification_id}/recording responds ${status} to ${what}`, () =>
    withRecording(async (t) => {
      const response = await t.read(`/calls/${t.answered}/recording`);

      assert.deepEqual([response.status, response.body.error], [status, error]);
      assert.doesNotMatch(JSON.stringify(response.body), /sk_secret|sk_of/);
      assert.ok(!JSON.stringify(response.body).includes(t.caller.sender.token));
    }, respond));
}
