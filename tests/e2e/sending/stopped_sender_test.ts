import assert from "node:assert/strict";
import { resumeSender } from "../../setup/fixtures/resume_sender.ts";
import { eventually } from "../../setup/eventually.ts";
import type { JsonObject } from "../../setup/http/http.ts";
import { insertWebhook, readEvents } from "../../setup/fixtures/webhooks.ts";
import { assertRefused } from "../assert_refused.ts";
import { assertNothingStored } from "../stored.ts";
import { type Api, withApi } from "../with_api.ts";
import { withVoiceApi } from "../with_voice_api.ts";

/** Resumes the company's sender after the platform has been put right. */
async function recover({ sql, sandbox, sender }: Pick<Api, "sql" | "sandbox" | "sender">): Promise<void> {
  const response = await fetch(`${sandbox.url}/sandbox/faults`, { method: "DELETE" });
  await response.body?.cancel();
  await resumeSender(sql, sender);
}

/** Has the platform refuse a message with this code. Returns the campaign it was of. */
async function refuseOne(api: Api, code: number): Promise<string> {
  await api.sandbox.addFault({ fault: { code } });
  const { status, body } = await api.notify();
  assert.equal(status, 200);
  await api.dispatch();
  return body.inquiry_set_id;
}

/** The contacts of a bulk request instead of the single one. */
const BULK: JsonObject = {
  contact: undefined,
  contacts: [{ number: "34600111222", name: "Asha" }, { number: "34600111333", name: "Ana" }],
};

Deno.test("GET /notify/status shows that the sender is stopped, why, and that the campaign continues with it", () =>
  withApi(async (api) => {
    const id = await refuseOne(api, 190);

    const stopped = await api.status(id);
    assert.deepEqual([stopped.status, stopped.paused_reason, stopped.pending], [
      "paused",
      "sender_stopped",
      1,
    ]);
    assert.match(
      stopped.paused_detail,
      new RegExp(`^The sender ${api.sender.number} is stopped: The sender's access token has expired`),
    );
    const later = await api.notify({ datetime_sending: "2090-01-01T00:00:00" });
    assert.equal(later.status, 200, "what is accepted meanwhile waits");
    assert.equal((await api.status(later.body.inquiry_set_id)).paused_reason, "sender_stopped");

    await recover(api);
    const resumed = await api.status(later.body.inquiry_set_id);
    assert.deepEqual([resumed.status, "paused_reason" in resumed], ["scheduled", false]);
    await api.dispatch();
    await eventually(async () => assert.equal((await api.status(id)).status, "completed"));
    assert.equal("paused_reason" in await api.status(id), false);
  }));

Deno.test("GET /notify/status says that a member paused the campaign", () =>
  withApi(async (api) => {
    const { body: { inquiry_set_id } } = await api.notify();
    await api.sql`select outbound.pause_campaign(${api.company.id}, ${inquiry_set_id})`;

    const { status, paused_reason, paused_detail } = await api.status(inquiry_set_id);

    assert.deepEqual([status, paused_reason], ["paused", "operator"]);
    assert.match(paused_detail, /resumed/);
  }));

Deno.test("GET /notify/status does not call a campaign paused that has nothing left to send", () =>
  withApi(async (api) => {
    const { body: { inquiry_set_id } } = await api.notify();
    await api.dispatch();
    await eventually(async () => assert.equal((await api.status(inquiry_set_id)).status, "completed"));
    await refuseOne(api, 190);

    const { status, paused_reason } = await api.status(inquiry_set_id);

    assert.deepEqual([status, paused_reason], ["completed", undefined]);
  }));

Deno.test("sender.status_changed reports each stop of a sender, and that it sends again", () =>
  withApi(async (api) => {
    await insertWebhook(api.sql, api.company.id, { event_types: ["sender.status_changed"] });
    await refuseOne(api, 190);
    await recover(api);

    const events = (await readEvents(api.sql, api.company.id)).map(({ type, payload }) => ({
      type,
      ...payload.data,
    }));

    const sender = {
      type: "sender.status_changed",
      company_id: api.company.id,
      sender_id: api.sender.id,
      number: api.sender.number,
      channel: "whatsapp",
    };
    const [stopped, active] = events;
    assert.equal(events.length, 2);
    assert.match(stopped?.reason, /token has expired/);
    assert.deepEqual([stopped, active], [
      { ...sender, status: "stopped", previous_status: "active", reason: stopped?.reason },
      { ...sender, status: "active", previous_status: "stopped" },
    ]);
  }));

for (const code of [131031, 368]) {
  Deno.test(`POST /notify refuses a sender whose account the platform has locked with ${code}, until it is resumed`, () =>
    withApi(async (api) => {
      const id = await refuseOne(api, code);
      const [sender] = await api.sql`select stopped_reason from outbound.senders where id = ${api.sender.id}`;
      const expected = {
        status: 422,
        error: "sender_locked",
        details: { sender_id: api.sender.id, reason: sender!.stopped_reason },
      };

      await assertNothingStored(api.sql, async () => {
        // The facts of the first request may still be remembered: storing must notice.
        assertRefused(await api.notify(), expected, "single");
        assertRefused(await api.notify(BULK), expected, "bulk");
        assertRefused(await api.notify({ ...BULK, recipient_id: "elsewhere" }), expected, "default sender");
      });
      assert.equal((await api.status(id)).paused_reason, "sender_stopped");

      await recover(api);
      assert.equal((await api.notify()).status, 200);
    }));
}

Deno.test("an account that the platform bans locks its sender, which sends what waited once it is reinstated", () =>
  withApi(async (api) => {
    const { sandbox, sender } = api;
    const report = (waba_ban_state: string) =>
      sandbox.tellAccount(sender.waba_id!, {
        field: "account_update",
        value: { event: "DISABLED_UPDATE", ban_info: { waba_ban_state } },
      });
    const waiting = (await api.notify()).body.inquiry_set_id;

    await report("DISABLE");
    await eventually(async () => assert.equal((await api.status(waiting)).paused_reason, "sender_stopped"));
    const refused = await api.notify();
    await report("REINSTATE");
    await eventually(async () => assert.equal((await api.status(waiting)).paused_reason, undefined));
    await api.dispatch();

    assertRefused(refused, {
      status: 422,
      error: "sender_locked",
      details: { sender_id: sender.id, reason: "The platform disabled the business account" },
    });
    await eventually(async () => assert.equal((await api.status(waiting)).status, "completed"));
    assert.equal((await api.notify()).status, 200);
  }));

Deno.test("POST /notify reports other faults before it reports a locked sender", () =>
  withApi(async (api) => {
    await refuseOne(api, 131031);

    assertRefused(await api.notify({ datetime_sending: "never" }), {
      status: 400,
      error: "validation_failed",
    });
    assertRefused(await api.notify({ name_template: "no_such_template" }), {
      status: 404,
      error: "template_not_found",
    });
  }));

Deno.test("POST /notify/voice refuses a sender whose account the platform has locked", () =>
  withVoiceApi(async (api) => {
    const good = await api.voice({ time: "nine" });
    await api.sql`update outbound.senders
      set status = 'stopped', stopped_reason = 'Locked', locked = true where channel = 'voice'`;

    await assertNothingStored(api.sql, async () =>
      assertRefused(await api.voice({ time: "nine" }), {
        status: 422,
        error: "sender_locked",
      }));

    assert.equal((await api.status(good.body.inquiry_set_id)).paused_reason, "sender_stopped");
  }));
