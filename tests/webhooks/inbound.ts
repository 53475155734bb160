import assert from "node:assert/strict";
import type postgres from "postgres";
import { signWebhook } from "../../local/sandbox/webhooks/webhook_sender.ts";
import type { JsonObject, TestAnswer } from "../setup/http/http.ts";
import { TEST_ENV, type TestServices } from "../setup/stack/services.ts";
import type { SenderFixture } from "../setup/fixtures/fixtures.ts";

/** A person's number and user id in tests. */
export const ANA = { number: "34600000001", user_id: "ES.1349" };

/** Posts a body to the webhook, signed as the platform signs it. */
export async function postSigned(
  { http }: Pick<TestServices, "http">,
  body: JsonObject,
): Promise<TestAnswer<JsonObject>> {
  const rawBody = JSON.stringify(body);
  const signature = signWebhook(TEST_ENV.WHATSAPP_APP_SECRET, new TextEncoder().encode(rawBody));
  const headers = { "content-type": "application/json", "x-hub-signature-256": signature };
  return await http.post("/webhooks/whatsapp", undefined, { rawBody, headers });
}

type Sender = Pick<SenderFixture, "platform_id" | "waba_id">;

/** Posts one change about a sender's number, and fails unless it was accepted. */
export async function postChange(
  t: Pick<TestServices, "http">,
  sender: Sender,
  value: JsonObject,
  field = "messages",
): Promise<void> {
  assert.equal(await statusOfChange(t, sender, value, field), 200);
}

/** Posts one change about a sender's number, and returns the status of the response. */
export async function statusOfChange(
  t: Pick<TestServices, "http">,
  sender: Sender,
  value: JsonObject,
  field = "messages",
): Promise<number> {
  const whole = {
    messaging_product: "whatsapp",
    metadata: { phone_number_id: sender.platform_id },
    ...value,
  };
  const { status } = await postSigned(t, {
    object: "whatsapp_business_account",
    entry: [{ id: sender.waba_id, changes: [{ field, value: whole }] }],
  });
  return status;
}

/** Posts one message of Ana's, a text unless it is changed. Returns its id at the platform. */
export async function receive(
  t: Pick<TestServices, "http">,
  sender: Sender,
  message: JsonObject | string,
  contact: JsonObject = { wa_id: ANA.number },
): Promise<string> {
  const id = `wamid.${crypto.randomUUID()}`;
  const given = typeof message === "string" ? { text: { body: message } } : message;
  const whole = {
    from: contact.wa_id,
    from_user_id: contact.user_id,
    id,
    type: "text",
    timestamp: secondsAgo(0),
    ...given,
  };
  await postChange(t, sender, { contacts: [contact], messages: [whole] });
  return whole.id;
}

/** A time as the platform writes it. */
export function secondsAgo(seconds: number): string {
  return String(Math.floor(Date.now() / 1000) - seconds);
}

/** The suppressions of a company, one line each: address, channel, category, source, and whether it was lifted. */
export async function suppressionsOf(sql: postgres.Sql, companyId: string): Promise<string[]> {
  const rows = await sql<{ line: string }[]>`
    select concat_ws(' ', s.address, s.channel, s.category, s.source, case when s.lifted_at is not null then 'lifted' end)
      as line
    from outbound.suppressions as s where s.company_id = ${companyId} order by s.address collate "C", s.source, s.created_at`;
  return rows.map(({ line }) => line);
}

/** The messages of a company, the oldest first. */
export async function messagesOf(sql: postgres.Sql, companyId: string): Promise<JsonObject[]> {
  return [
    ...await sql`
      select * from outbound.contact_messages where company_id = ${companyId} order by created_at, direction, at`,
  ];
}
