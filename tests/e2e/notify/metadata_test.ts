import assert from "node:assert/strict";
import { eventually } from "../../setup/eventually.ts";
import type { JsonObject } from "../../setup/http/http.ts";
import { insertWebhook } from "../../setup/fixtures/webhooks.ts";
import { assertRefused } from "../assert_refused.ts";
import { assertNothingStored } from "../stored.ts";
import { type Api, withApi } from "../with_api.ts";
import { withVoiceApi } from "../with_voice_api.ts";

const ANA = { number: "34600111222", name: "Ana" };
const BEN = { number: "34600111223", name: "Ben" };

async function metadataOf({ http, key }: Pick<Api, "http" | "key">, campaign_id: string): Promise<unknown[]> {
  const { body } = await http.get(`/manage/companies/mine/campaigns/${campaign_id}/recipients`, {
    query: { access_key: key.key },
  });
  return body.recipients.map(({ metadata }: JsonObject) => metadata);
}

Deno.test("metadata of the request and of the contact comes back with each recipient; the contact's fields win", () =>
  withApi(async (api) => {
    const { status, body } = await api.notify({
      contact: undefined,
      contacts: [
        { ...ANA, metadata: { order: "A-1", lines: [1, { sku: "x" }], none: null } },
        { ...BEN, metadata: null },
        { ...BEN, metadata: { order: null, shop: null } },
      ],
      metadata: { order: "none", shop: "Madrid" },
    });

    assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual(await metadataOf(api, body.inquiry_set_id), [
      { order: "A-1", shop: "Madrid", lines: [1, { sku: "x" }] },
      { order: "none", shop: "Madrid" },
      null,
    ]);
  }));

Deno.test("events about a notification, and a reply to it, carry its metadata", () =>
  withApi(async (api) => {
    await insertWebhook(api.sql, api.company.id);
    const { body } = await api.notify({ contact: ANA, metadata: { order: "A-1" } });
    await api.notify({ contact: BEN });
    await api.dispatch();
    const [sent] = await api.sql`
      select id from outbound.notifications where campaign_id = ${body.inquiry_set_id}`;
    const [message] = (await api.sandbox.messages()).filter(({ to }) => to === `+${ANA.number}`);
    await api.sandbox.write(ANA.number, {
      phone_number_id: api.sender.platform_id,
      type: "text",
      text: "Where is it?",
      context: message!.id,
    });

    await eventually(async () => {
      const events = await api.sql`
        select payload ->> 'type' as type, payload -> 'data' ->> 'notification_id' as id,
          payload -> 'data' -> 'metadata' as metadata
        from outbound.outgoing_events where payload -> 'data' ->> 'notification_id' is not null`;
      const mine = events.filter(({ id }) => id === sent!.id);
      assert.deepEqual(mine.map(({ type }) => type).sort(), [
        "message.received",
        "notification.delivered",
        "notification.read",
        "notification.sent",
      ]);
      for (const { metadata } of mine) assert.deepEqual(metadata, { order: "A-1" });
      for (const { id, metadata } of events) if (id !== sent!.id) assert.equal(metadata, null);
    });
  }));

Deno.test("metadata can be written flat with dots, and is no source of values", () =>
  withApi(async (api) => {
    const flat = {
      ...{ "contact.number": ANA.number, "contact.name": "Ana", "contact.metadata.order": "A-1" },
      ...{ "metadata.shop": "Madrid", metadata_shop: "an own field" },
      ...{ "components_push.body_text_0": "{{metadata_shop}}", "components_push.body_text_1": "x" },
      contact: undefined,
      components_push: undefined,
    };
    const { status, body } = await api.notify(flat, { query: { unflatten: "true" } });
    assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual(await metadataOf(api, body.inquiry_set_id), [{ order: "A-1", shop: "Madrid" }]);

    for (const reference of ["{{metadata}}", "{{metadata.shop}}", "{{shop}}"]) {
      const refused = await api.notify({
        metadata: { shop: "Madrid" },
        components_push: { body_text_0: reference, body_text_1: "x" },
      });
      assertRefused(refused, { status: 400, error: "validation_failed" }, reference);
    }
  }));

const REFUSED: [label: string, metadata: unknown][] = [
  ["more than 1 KB of characters", { a: "x".repeat(1024) }],
  ["more than 1 KB of bytes", { a: "€".repeat(342) }],
  ["a control character", { a: "\u001b[31m" }],
  ["a control character in a name", { "a\n": "x" }],
  ["a control character inside", { a: [{ b: "\u0007" }] }],
];

/** No metadata, but fields of the client's own: those of a contact are texts. */
const NO_OBJECTS: [label: string, metadata: unknown][] = [
  ["a list", ["A-1"]],
  ["a number", 1],
  ["true", true],
];

Deno.test("metadata of the wrong form is refused, for the request or for one contact", () =>
  withApi(async (api) => {
    await assertNothingStored(api.sql, async () => {
      for (const [label, metadata] of REFUSED) {
        const root = await api.notify({ metadata });
        assertRefused(root, { status: 400, error: "validation_failed" }, label);
        assert.equal(root.body.details.field, "metadata", label);
        const contact = await api.notify({ contact: { ...ANA, metadata } });
        assertRefused(contact, { status: 400, error: "validation_failed" }, label);
        assert.equal(contact.body.details.field, "contact.metadata", label);
      }
    });
    for (const [label, metadata] of NO_OBJECTS) {
      assert.equal((await api.notify({ metadata })).status, 200, label);
      const contact = await api.notify({ contact: { ...ANA, metadata } });
      assert.deepEqual([contact.status, contact.body.details?.field], [400, "contact.metadata"], label);
    }
    const contacts = [ANA, ...REFUSED.map(([, metadata]) => ({ ...BEN, metadata }))];
    const { body } = await api.notify({ contact: undefined, contacts });
    assert.deepEqual([body.processed, body.failed], [1, REFUSED.length]);
    for (const { reason } of body.errors) assert.match(reason, /'contact\.metadata'/);
    const exact = { a: "x".repeat(1024 - '{"a":""}'.length) };
    assert.equal((await api.notify({ metadata: exact, contact: { ...ANA, metadata: exact } })).status, 200);
  }));

Deno.test("a call's agent gets no metadata, and the call's recipient shows it", () =>
  withVoiceApi(async (api) => {
    const { status, body } = await api.voice({
      contact: { number: ANA.number, first_name: "Ana", metadata: { order: "A-1" } },
      metadata: { shop: "Madrid" },
    });

    assert.equal(status, 200, JSON.stringify(body));
    const [call] = await api
      .sql`select message, metadata from outbound.notifications where id = ${body.notification_id}`;
    assert.deepEqual(call!.metadata, { shop: "Madrid", order: "A-1" });
    assert.ok(
      !JSON.stringify(call!.message).includes("Madrid") && !JSON.stringify(call!.message).includes("A-1"),
    );
  }));

Deno.test("metadata is exported with a person, and erased with one", () =>
  withApi(async (api) => {
    const { body: sent } = await api.notify({ contact: ANA, metadata: { order: "A-1" } });
    const query = { access_key: api.key.key };

    const exported = await api.http.get("/manage/companies/mine/contacts/export", {
      query: { ...query, number: ANA.number },
    });
    assert.deepEqual(exported.body.notifications[0].metadata, { order: "A-1" });
    assert.equal(
      (await api.http.post("/manage/companies/mine/contacts/erase", { number: ANA.number }, { query }))
        .status,
      200,
    );

    assert.deepEqual(await metadataOf(api, sent.inquiry_set_id), [null]);
  }));
