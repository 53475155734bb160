import assert from "node:assert/strict";
import { withContacts } from "./with_contacts.ts";
import { receive } from "../webhooks/inbound.ts";
import { insertKnownPerson, NUMBER } from "./known_person.ts";

Deno.test("a deleted company takes everything about its contacts with it", () =>
  withContacts(async (t) => {
    const { sql, company } = t;
    await insertKnownPerson(t);
    await t.ask("POST", "erase", { number: NUMBER });
    await sql`insert into outbound.retention_leftovers (company_id, notification_id, due_at)
      values (${company.id}, gen_random_uuid(), now())`;
    await sql`insert into outbound.user_ids (company_id, user_id) values (${company.id}, 'ES.1')`;
    await sql`insert into outbound.contact_mappings (company_id, columns) values (${company.id}, '{}')`;
    await sql`insert into outbound.contact_tags (company_id, tag, contacts) values (${company.id}, 'vip', 1)`;
    await sql`insert into outbound.identity_secrets (company_id, secret_sealed) values (${company.id}, 'x')`;
    await sql`insert into outbound.named_people (company_id, number, person, source)
      values (${company.id}, '34600111222', '{}', 'send')`;
    await receive(t, company.sender, "Hello");
    await sql`
      insert into outbound.received_media (company_id, message_id, next_at)
      select company_id, id, now() from outbound.contact_messages where text = 'Hello'`;
    await sql`select outbound.schedule_received_media(array[${company.id}::uuid], now())`;
    await sql`select outbound.expect_media(${company.id}, gen_random_uuid(), 1, 1)`;
    await sql`delete from outbound.media_leftovers`;
    const tables = await sql<{ name: string }[]>`
      select c.relname as name from pg_class as c join pg_attribute as a on a.attrelid = c.oid
      where c.relnamespace = 'outbound'::regnamespace and c.relkind = 'r' and a.attname = 'company_id'
        and a.attnotnull`;
    const filled = async () => {
      const rows = await Promise.all(tables.map(async ({ name }) => {
        const found = await sql`select 1 from ${
          sql(`outbound.${name}`)
        } where company_id = ${company.id} limit 1`;
        return found.length > 0 ? [name] : [];
      }));
      return rows.flat().sort();
    };
    const before = await filled();

    await sql`delete from outbound.companies where id = ${company.id}`;

    for (
      const table of ["audit_log", "consents", "contact_messages", "contact_rules", "erased_contacts"]
        .concat(
          ...["contacts", "contact_addresses", "contact_attributes", "contact_lists", "contact_mappings"],
          ...["contact_tags", "identity_secrets", "named_people"],
          "marketing_cooldowns",
          "marketing_sends",
          ...["media_usage", "received_media", "received_media_schedule"],
          "retention_leftovers",
          "seen_messages",
          "suppressions",
          "user_ids",
        )
    ) {
      assert.ok(before.includes(table), table);
    }
    assert.deepEqual(await filled(), []);
  }));
