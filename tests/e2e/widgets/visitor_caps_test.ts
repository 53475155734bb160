import assert from "node:assert/strict";
import { settleVoiceSessions } from "../../../supabase/functions/_shared/widgets/settle_voice_sessions.ts";
import type { JsonObject, TestAnswer } from "../../setup/http/http.ts";
import { insertWidget } from "../../setup/fixtures/widgets.ts";
import { assertRefused } from "../assert_refused.ts";
import { openChat } from "./open_chat.ts";
import { type Api, withApi } from "../with_api.ts";
import { withVoiceWidget } from "./with_voice_widget.ts";

const env = { OUTBOUND_WIDGET_URL: "https://widgets.example" };

async function usageOf({ sql }: Pick<Api, "sql">, subject: string): Promise<JsonObject> {
  const [row] = await sql`
    select voice_sessions, voice_s, conversations, stored_bytes::int from outbound.visitor_usage
    where subject_id = ${subject}`;
  return { ...row };
}

/** Checks the 429 of a daily cap: the contract's fields, and to wait until the next day in UTC. */
function assertCapped(response: TestAnswer<JsonObject>, cap: string, quota: number, used: number): void {
  const reset = new Date();
  reset.setUTCHours(24, 0, 0, 0);
  const details = { cap, quota, used, reset_time: reset.toISOString() };
  assertRefused(response, { status: 429, error: "quota_exceeded", details });
  const wait = Math.ceil((reset.getTime() - Date.now()) / 1000);
  assert.ok(Math.abs(Number(response.headers.get("retry-after")) - wait) <= 2);
  assert.equal(response.body.retry_after, Number(response.headers.get("retry-after")));
}

Deno.test("a widget starts no more voice sessions per day than its own cap and its company's allow", () =>
  withVoiceWidget(async (api) => {
    const { sql, widget, company, http, key, start, platforms } = api;
    const other = await insertWidget(sql, company.id, { kind: "voice" });
    await sql`update outbound.widgets set max_voice_sessions_per_day = 2 where id = ${widget.id}`;
    await sql`update outbound.companies set max_voice_sessions_per_day = 3 where id = ${company.id}`;
    const startOther = () =>
      http.get("/voice-widget/signed-url", { query: { access_key: key.key, id_widget: other.id } });

    const statuses = [(await start()).status, (await start()).status];
    const asked = platforms.requests.length;
    assertCapped(await start(), "voice_sessions", 2, 2);
    assert.equal(platforms.requests.length, asked, "the platform was asked nothing");
    statuses.push((await startOther()).status);
    assertCapped(await startOther(), "voice_sessions", 3, 3);

    assert.deepEqual(statuses, [200, 200, 200]);
    assert.equal((await usageOf(api, company.id)).voice_sessions, 3);
  }));

Deno.test("of sessions that start at once, no more than the cap begin", () =>
  withVoiceWidget(async ({ sql, widget, start }) => {
    await sql`update outbound.widgets set max_voice_sessions_per_day = 3 where id = ${widget.id}`;

    const responses = await Promise.all(Array.from({ length: 8 }, () => start()));

    assert.deepEqual(responses.map(({ status }) => status).sort(), [200, 200, 200, 429, 429, 429, 429, 429]);
  }));

Deno.test("a voice session counts with the longest it may last until the platform has said its length", () =>
  withVoiceWidget(async (api) => {
    const { sql, widget, company, services, start, platforms } = api;
    await sql`update outbound.widgets set max_session_minutes = 4, max_voice_minutes_per_day = 9 where id = ${widget.id}`;
    const makeDue = () => sql`update outbound.voice_sessions set check_at = now() where check_at is not null`;
    const settle = async () => {
      await makeDue();
      await settleVoiceSessions(services);
      return (await usageOf(api, widget.id)).voice_s;
    };
    platforms.nextConversation = "conv_known";
    assert.equal((await start()).body.max_session_s, 240);
    platforms.nextConversation = "conv_second";
    assert.equal((await start()).status, 200);
    assertCapped(await start(), "voice_minutes", 9, 8);

    assert.equal(await settle(), 480, "both still go on");
    platforms.respondWith(500, {});
    assert.equal(await settle(), 480, "nothing is known");
    platforms.respondWith(undefined);
    platforms.conversations.durationS = 61;
    assert.equal(await settle(), 122);
    assert.equal(await settle(), 122, "settled once only");
    assert.deepEqual(await usageOf(api, company.id), {
      ...{ voice_sessions: 2, voice_s: 122, conversations: 0, stored_bytes: 0 },
    });
    platforms.nextConversation = undefined;
    assert.equal((await start()).status, 200);
  }));

Deno.test("a session that was longer than it should have been counts with its length, one that never began with nothing", () =>
  withVoiceWidget(async (api) => {
    const { sql, widget, services, start, platforms } = api;
    platforms.nextConversation = "conv_never_begun";
    await start();
    await sql`update outbound.voice_sessions set check_at = now()`;
    await settleVoiceSessions(services);
    assert.equal((await usageOf(api, widget.id)).voice_s, 600, "it may still begin");
    await sql`update outbound.voice_sessions set check_at = now(), created_at = now() - interval '21 minutes'`;
    await settleVoiceSessions(services);
    const { voice_s, voice_sessions } = await usageOf(api, widget.id);
    assert.deepEqual([voice_s, voice_sessions], [0, 0]);

    platforms.nextConversation = "conv_known";
    platforms.conversations.durationS = 2000;
    await start();
    await sql`update outbound.voice_sessions set check_at = now() where duration_s is null`;
    await settleVoiceSessions(services);
    assert.equal((await usageOf(api, widget.id)).voice_s, 2000);
  }));

Deno.test("a session that the platform does not let begin counts for nothing", () =>
  withVoiceWidget(async (api) => {
    api.platforms.respondWith(500, {});
    assertRefused(await api.start(), { status: 502, error: "service_unavailable" });

    const { voice_sessions, voice_s } = await usageOf(api, api.widget.id);
    assert.deepEqual([voice_sessions, voice_s], [0, 0]);
    assert.equal((await api.sql`select from outbound.voice_sessions`).length, 0);
  }));

Deno.test("a widget opens no more conversations per day than its cap allows, and shows those that are there", () =>
  withApi(async (api) => {
    const chat = await openChat(api);
    await api.sql`update outbound.widgets set max_conversations_per_day = 2 where id = ${chat.widget.id}`;

    assert.equal((await chat.open({})).status, 200);
    assertCapped(await chat.open({}), "conversations", 2, 2);
    assert.equal((await chat.open({ token: chat.token })).body.conversation_id, chat.id);
    assert.equal((await chat.say("Hello")).status, 200);
  }, { env }));

Deno.test("visitors store no more per day than the cap allows; operators may always reply", () =>
  withApi(async (api) => {
    const chat = await openChat(api);
    await api.sql`update outbound.companies set max_stored_mb_per_day = 0 where id = ${api.company.id}`;
    const long = "é".repeat(4000);

    const first = await chat.say(long);
    const second = await chat.say(long);
    const third = await chat.say(long);

    assert.deepEqual([first.status, second.status], [200, 429]);
    assertCapped(third, "stored_mb", 0, 1);
    assert.equal((await chat.reply(long)).status, 200);
    assert.equal((await chat.say(long, first.sent)).status, 200, "a repetition stores nothing");
    await api.sql`update outbound.companies set max_stored_mb_per_day = 1 where id = ${api.company.id}`;
    assert.equal((await chat.say(long)).status, 200);
    assert.equal((await usageOf(api, chat.widget.id)).stored_bytes, 2 * 16_384);
  }, { env }));

Deno.test("clean_up() forgets counters after 35 days and sessions after two", () =>
  withVoiceWidget(async ({ sql, start }) => {
    await start();
    await sql`select outbound.clean_up()`;
    const count = async (table: string) => (await sql`select from outbound.${sql(table)}`).length;
    assert.deepEqual([await count("visitor_usage"), await count("voice_sessions")], [2, 1]);

    await sql`update outbound.visitor_usage set day = day - 37`;
    await sql`update outbound.voice_sessions set created_at = created_at - interval '49 hours'`;
    await sql`select outbound.clean_up()`;
    assert.deepEqual([await count("visitor_usage"), await count("voice_sessions")], [0, 0]);
  }));
