import assert from "node:assert/strict";
import {
  assertConserved,
  claim,
  enqueue,
  eventOf,
  finish,
  messageId,
  report,
} from "../setup/fixtures/queue.ts";
import { NUMBER } from "./known_person.ts";
import { type Contacts, withContacts } from "./with_contacts.ts";

/** Brings a notification to where its recipient is erased, and returns what becomes known of it later. */
type Course = (t: Contacts, id: string) => Promise<() => Promise<unknown>>;

const COURSES: [name: string, course: Course, becomes: string][] = [
  ["a late result says that it was sent", async ({ sql }) => {
    const claimed = await claim(sql);
    await finish(sql, claimed, { outcome: "unknown" });
    return () => finish(sql, claimed, { outcome: "sent" });
  }, "sent"],
  ["a receipt says that an unconfirmed one arrived", async ({ sql, company }, id) => {
    await finish(sql, await claim(sql), { outcome: "unknown" });
    return () => report(sql, [eventOf(company.id, id, "delivered")]);
  }, "delivered"],
  ["an unconfirmed one was refused", async ({ sql, company }, id) => {
    await finish(sql, await claim(sql), { outcome: "unknown" });
    return () => report(sql, [eventOf(company.id, id, "failed")]);
  }, "failed"],
  ["one that was sent failed after all", async ({ sql, company }, id) => {
    await finish(sql, await claim(sql), { outcome: "sent" });
    return () => report(sql, [eventOf(company.id, id, "failed")]);
  }, "failed"],
  ["one that was sent was read", async ({ sql, company }, id) => {
    await finish(sql, await claim(sql), { outcome: "sent" });
    return () => report(sql, [eventOf(company.id, id, "read")]);
  }, "read"],
  ["an earlier attempt was sent", async ({ sql, company }, id) => {
    await sendTwice({ sql, company }, id, "unknown");
    return () => report(sql, [eventOf(company.id, id, "sent")]);
  }, "sent"],
  ["an earlier attempt failed, and the last one was sent", async ({ sql, company }, id) => {
    await sendTwice({ sql, company }, id, "sent");
    return () => report(sql, [eventOf(company.id, id, "failed")]);
  }, "sent"],
  ["the last of two attempts failed after all", async ({ sql, company }, id) => {
    await sendTwice({ sql, company }, id, "sent");
    const last = { platform_message_id: messageId(id, 2) };
    return () => report(sql, [eventOf(company.id, id, "failed", last)]);
  }, "failed"],
];

/** Tries twice: the outcome of the first attempt is not known. */
async function sendTwice(
  { sql, company }: Pick<Contacts, "sql" | "company">,
  id: string,
  outcome: "sent" | "unknown",
) {
  await finish(sql, await claim(sql), { outcome: "unknown" });
  const refused = { retryable: true, dedupe_key: "earlier", platform_message_id: messageId(id) };
  await report(sql, [eventOf(company.id, id, "failed", refused)]);
  await sql`update outbound.queue set run_at = now()`;
  await sql`select outbound.schedule_senders(array[${company.id}::uuid], array[${company.sender.id}::uuid], false)`;
  const claimed = await claim(sql);
  assert.equal(claimed.length, 1);
  await finish(sql, claimed, { outcome });
}

Deno.test("what becomes known of an erased person's message moves its state, and brings no id of it back", async (test) => {
  for (const [name, course, becomes] of COURSES) {
    await test.step(name, () =>
      withContacts(async (t) => {
        const { ids: [id] } = await enqueue(t.sql, t.company);
        const goOn = await course(t, id!);
        assert.equal((await t.ask("POST", "erase", { number: NUMBER })).status, 200);

        await goOn();

        const [row] = await t.sql`select status, platform_message_id as message from outbound.notifications`;
        assert.deepEqual({ ...row }, { status: becomes, message: null });
        const named = await t.sql`
          select from outbound.delivery_attempts where platform_message_id is not null`;
        assert.equal(named.length, 0);
        await assertConserved(t.sql);
      }));
  }
});
