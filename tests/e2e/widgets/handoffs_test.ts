import assert from "node:assert/strict";
import { tickWithoutProbe } from "../../setup/fixtures/queue.ts";
import { insertWebhook, readEvents } from "../../setup/fixtures/webhooks.ts";
import { assertRefused } from "../assert_refused.ts";
import { type VoiceWidgetApi, withVoiceWidget } from "./with_voice_widget.ts";

/** A handoff that a visitor has asked for. */
async function handOff(api: VoiceWidgetApi) {
  const { http, key } = api;
  const session = await api.session();
  const { body } = await http.post("/voice-widget/handoff", { conversation_id: "conv_known" }, session);
  const handoff_id: string = body.handoff_id;
  const join = () =>
    http.post("/voice-widget/handoff/join", { handoff_id }, { query: { access_key: key.key } });
  return { id: handoff_id, room: body.room as string, join };
}

Deno.test("a handoff that no member joins, and one that was joined long ago, let no member in and end by themselves", () =>
  withVoiceWidget(async (api) => {
    const { sql, company } = api;
    await insertWebhook(sql, company.id);
    for (
      const [joined, age, stays] of [[false, "16 minutes", "14 minutes"], [true, "3 days", "15 minutes"]]
    ) {
      const handoff = await handOff(api);
      if (joined) assert.equal((await handoff.join()).status, 200);
      const makeOlder = (by: string) =>
        sql`update outbound.handoffs set created_at = created_at - ${by}::interval,
          expires_at = expires_at - ${by}::interval where id = ${handoff.id}`;
      const status = async () =>
        (await sql`select status from outbound.handoffs where id = ${handoff.id}`)[0]!.status;

      await makeOlder(stays as string);
      await tickWithoutProbe(sql);
      assert.notEqual(await status(), "ended");
      await makeOlder(age as string);
      assertRefused(await handoff.join(), { status: 404, error: "not_found" });
      await tickWithoutProbe(sql);
      assert.equal(await status(), "ended");
      await tickWithoutProbe(sql);

      const ended = (await readEvents(sql, company.id)).filter(({ type, payload }) =>
        type === "handoff.ended" && payload.data.handoff_id === handoff.id
      );
      const { reason, previous_status } = ended[0]!.payload.data;
      assert.deepEqual([ended.length, reason, previous_status], [
        1,
        "expired",
        joined ? "joined" : "waiting",
      ]);
      await sql`delete from outbound.voice_sessions`;
    }
  }));

Deno.test("a handoff whose room is gone ends when a member wants to join it", () =>
  withVoiceWidget(async (api) => {
    await insertWebhook(api.sql, api.company.id);
    const handoff = await handOff(api);
    assert.equal((await handoff.join()).status, 200);
    api.platforms.rooms.delete(handoff.room);

    assertRefused(await handoff.join(), { status: 404, error: "not_found" });
    const events = await readEvents(api.sql, api.company.id);
    assert.deepEqual(events.map(({ type }) => type), ["handoff.requested", "handoff.ended"]);
    assert.equal(events[1]!.payload.data.reason, "room_closed");
  }));

Deno.test("no member gets a token for a room that is full", () =>
  withVoiceWidget(async (api) => {
    const handoff = await handOff(api);
    api.platforms.rooms.set(handoff.room, 3);

    assertRefused(await handoff.join(), {
      status: 409,
      error: "room_full",
      details: { participants: 3, limit: 3 },
    });
    api.platforms.rooms.set(handoff.room, 2);
    assert.equal((await handoff.join()).status, 200);
  }));
