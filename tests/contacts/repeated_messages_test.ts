import assert from "node:assert/strict";
import { ANA, messagesOf, receive } from "../webhooks/inbound.ts";
import { insertWebhook, readEvents } from "../setup/fixtures/webhooks.ts";
import { type Contacts, countRows, withContacts } from "./with_contacts.ts";

const BOTH = { wa_id: ANA.number, user_id: ANA.user_id };
const MESSAGE = { id: "wamid.once", text: { body: "STOP" } };

const GONE: [name: string, remove: (t: Contacts) => Promise<unknown>][] = [
  ["an erased person's message", (t) => t.ask("POST", "erase", { number: ANA.number })],
  ["a message that was kept long enough", async ({ sql, company }) => {
    await sql`insert into outbound.contact_rules (company_id, keep_messages_days) values (${company.id}, 1)`;
    await sql`update outbound.contact_messages
      set created_at = now() - interval '2 days', status = case direction when 'in' then 'received' else 'failed' end`;
    await sql`select outbound.apply_retention()`;
  }],
];

Deno.test("a message that the platform repeats after it was deleted is passed over", async (test) => {
  for (const [name, remove] of GONE) {
    await test.step(name, () =>
      withContacts(async (t) => {
        await insertWebhook(t.sql, t.company.id);
        await receive(t, t.company.sender, MESSAGE, BOTH);
        await remove(t);
        assert.deepEqual(await messagesOf(t.sql, t.company.id), []);
        const tables = ["user_ids", "suppressions", "consents"];
        const before = [await countRows(t.sql, t.company.id, tables), await readEvents(t.sql, t.company.id)];

        await receive(t, t.company.sender, MESSAGE, BOTH);

        assert.deepEqual(await messagesOf(t.sql, t.company.id), []);
        assert.deepEqual(
          [await countRows(t.sql, t.company.id, tables), await readEvents(t.sql, t.company.id)],
          before,
        );
      }));
  }
});

Deno.test("a person who writes again after being erased is a new contact", () =>
  withContacts(async (t) => {
    await receive(t, t.company.sender, MESSAGE, BOTH);
    await t.ask("POST", "erase", { number: ANA.number });

    await receive(t, t.company.sender, { ...MESSAGE, id: "wamid.new", text: { body: "Hello" } }, BOTH);

    assert.deepEqual((await messagesOf(t.sql, t.company.id)).map(({ text }) => text), ["Hello"]);
  }));

Deno.test("clean_up() forgets after 8 days that a message was stored", () =>
  withContacts(async (t) => {
    for (const days of [7, 9]) {
      await receive(t, t.company.sender, { ...MESSAGE, id: `wamid.${days}` });
      await t.sql`update outbound.seen_messages set seen_at = now() - make_interval(days => ${days})
        where message_hash = sha256(${`wamid.${days}`}::text::bytea)`;
    }

    const [row] = await t.sql`select outbound.clean_up() as cleaned`;

    assert.equal(row!.cleaned.seen_messages, 1);
    assert.equal((await t.sql`select from outbound.seen_messages`).length, 1);
  }));
