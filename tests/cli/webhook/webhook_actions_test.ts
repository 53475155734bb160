import assert from "node:assert/strict";
import { Webhook } from "standardwebhooks";
import {
  listDeliveries,
  replayEvents,
  rotateWebhookSecret,
  setWebhook,
  showWebhook,
  stopWebhook,
  testWebhook,
  type WebhookContext,
} from "../../../cli/webhook/actions.ts";
import { createSealer, webhookSecretOf } from "../../../supabase/functions/_shared/crypto/seal.ts";
import { type TestDatabase, withTestDatabase } from "../../setup/database/database.ts";
import { insertCompany, TEST_SECRETS_KEY } from "../../setup/fixtures/fixtures.ts";
import { type EventReceiver, withReceiver } from "../../setup/http/receiver.ts";
import { insertEvents } from "../../setup/fixtures/webhooks.ts";

interface Setup {
  context: WebhookContext;
  companyId: string;
}

function withCompany(use: (t: Setup & TestDatabase) => Promise<void>): Promise<void> {
  return withTestDatabase(async (database) => {
    const sealer = createSealer(TEST_SECRETS_KEY);
    const { id: companyId } = await insertCompany(database.sql);
    await use({ ...database, companyId, context: { sql: database.sql, sealer, allowPrivateWebhooks: true } });
  });
}

const URL_OF_ACME = "https://acme.example.com/events";
const UNKNOWN_COMPANY = "0193a1b2-0000-4000-8000-0123456789ab";

Deno.test("setWebhook() returns the secret the first time only, and stores it sealed", () =>
  withCompany(async ({ context, companyId, sql }) => {
    const first = await setWebhook(context, { companyId, url: URL_OF_ACME });
    const second = await setWebhook(context, {
      companyId,
      url: URL_OF_ACME,
      eventTypes: ["notification.read"],
    });

    const [row] = await sql<{ sealed: string }[]>`select secret_sealed as sealed from outbound.webhooks`;
    assert.match(first.secret!, /^whsec_/);
    assert.equal(await context.sealer.open(row!.sealed, webhookSecretOf(companyId)), first.secret);
    assert.deepEqual([second.secret, second.eventTypes], [null, ["notification.read"]]);
  }));

Deno.test("setWebhook() refuses URLs events may not go to, and unknown companies", () =>
  withCompany(async ({ context, companyId }) => {
    const strict = { ...context, allowPrivateWebhooks: false };
    const code = (code: string) => ({ name: "CommandError", code });

    for (
      const url of [
        "http://acme.example.com/",
        "https://10.0.0.1/",
        "https://[::1]/",
        "acme",
        "https://a:b@c.d/",
      ]
    ) {
      await assert.rejects(setWebhook(strict, { companyId, url }), code("bad_value"), url);
    }
    await assert.rejects(
      setWebhook(strict, { companyId: UNKNOWN_COMPANY, url: URL_OF_ACME }),
      code("not_found"),
    );
    await assert.rejects(showWebhook(context, { companyId }), /has no webhook: use "webhook set"/);
    await assert.rejects(rotateWebhookSecret(context, { companyId: UNKNOWN_COMPANY }), /No company with id/);
  }));

Deno.test("rotateWebhookSecret() keeps the old secret for a day, and only the last one", () =>
  withCompany(async ({ context, companyId, sql }) => {
    await setWebhook(context, { companyId, url: URL_OF_ACME });

    const first = await rotateWebhookSecret(context, { companyId });
    const second = await rotateWebhookSecret(context, { companyId });

    const [row] = await sql<{ secret: string; old: string }[]>`
      select secret_sealed as secret, old_secret_sealed as old from outbound.webhooks`;
    const owner = webhookSecretOf(companyId);
    const opened = await Promise.all([row!.secret, row!.old].map((each) => context.sealer.open(each, owner)));
    assert.deepEqual(opened, [second.secret, first.secret]);
    const hours = (second.old_secret_until.getTime() - Date.now()) / 3_600_000;
    assert.ok(hours > 23.9 && hours < 24.1);
  }));

Deno.test("stopWebhook() ends pending deliveries, and setWebhook() switches it on again", () =>
  withCompany(async ({ context, companyId, sql }) => {
    await setWebhook(context, { companyId, url: URL_OF_ACME });
    await insertEvents(sql, companyId, 2);

    const before = await showWebhook(context, { companyId });
    await stopWebhook(context, { companyId });
    const off = await showWebhook(context, { companyId });
    await assert.rejects(replayEvents(context, { companyId, failed: true }), /is off/);
    await setWebhook(context, { companyId, url: URL_OF_ACME });
    const { replayed } = await replayEvents(context, { companyId, failed: true });

    assert.deepEqual([before.waiting, before.is_active], [2, true]);
    assert.deepEqual([off.waiting, off.is_active], [0, false]);
    assert.equal(replayed, 2);
  }));

Deno.test("testWebhook() sends a signed event at once and returns the response", () =>
  withReceiver((receiver: EventReceiver) =>
    withCompany(async ({ context, companyId, sql }) => {
      const { secret } = await setWebhook(context, {
        companyId,
        url: receiver.url,
        eventTypes: ["campaign.completed"],
      });

      const tested = await testWebhook(context, { companyId });

      const [event] = receiver.received;
      const verified = new Webhook(secret!).verify(event!.text, Object.fromEntries(event!.headers));
      assert.equal((verified as { type: string }).type, "webhook.test");
      assert.deepEqual([tested.ok, tested.response_status, tested.response_body], [true, 200, "ok"]);
      assert.equal(event!.headers.get("webhook-id"), tested.event_id);
      const [row] = await listDeliveries({ sql }, { companyId, failed: false, limit: 5 });
      assert.deepEqual([row?.type, row?.status, row?.event_id], [
        "webhook.test",
        "succeeded",
        tested.event_id,
      ]);
    })
  ));

Deno.test("testWebhook() is one attempt, and says why it failed", () =>
  withReceiver(({ url }) =>
    withCompany(async ({ context, companyId, sql }) => {
      await setWebhook(context, { companyId, url });

      const tested = await testWebhook(context, { companyId });

      assert.deepEqual([tested.ok, tested.response_status, tested.error], [
        false,
        500,
        "The endpoint responded with HTTP 500",
      ]);
      const rows = await listDeliveries({ sql }, { companyId, failed: true, limit: 5 });
      assert.deepEqual(rows.map(({ status, response_body: responseBody }) => [status, responseBody]), [[
        "failed",
        "broken",
      ]]);
      assert.equal((await showWebhook({ sql }, { companyId })).waiting, 0);
    }), () => new Response("broken", { status: 500 })));

Deno.test("replayEvents() takes one event, and knows the company's own only", () =>
  withCompany(async ({ context, companyId, sql }) => {
    const { id: otherId } = await insertCompany(sql);
    for (const id of [companyId, otherId]) await setWebhook(context, { companyId: id, url: URL_OF_ACME });
    const [eventId] = await insertEvents(sql, companyId, 1) as [string];

    const own = await replayEvents(context, { companyId, eventId });

    assert.equal(own.replayed, 1);
    await assert.rejects(replayEvents(context, { companyId: otherId, eventId }), /has no event with id/);
  }));
