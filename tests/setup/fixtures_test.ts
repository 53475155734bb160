import assert from "node:assert/strict";
import { hashAccessKey } from "../../supabase/functions/_shared/access/new_keys.ts";
import { withTestDatabase } from "./database.ts";
import { insertCompany, insertKey, insertMember, insertSender, insertTemplate } from "./fixtures.ts";

Deno.test("fixtures make rows that belong together, and new ones each time", () =>
  withTestDatabase(async ({ sql }) => {
    for (const name of ["First", "Second"]) {
      const company = await insertCompany(sql, { name });
      const key = await insertKey(sql, company.id, { permissions: ["chatapp_notifications"] });
      const member = await insertMember(sql, company.id);
      const sender = await insertSender(sql, company.id, { rate_per_second: 5 });
      const template = await insertTemplate(sql, sender, { status: "pending" });

      const [row] = await sql`
        select c.name, k.permissions, m.user_id, s.rate_per_second, t.status, t.components -> 0 ->> 'type' as first
        from outbound.companies as c
        join outbound.api_keys as k on k.company_id = c.id
        join outbound.company_members as m on m.company_id = c.id
        join outbound.senders as s on s.company_id = c.id
        join outbound.templates as t on t.company_id = c.id and t.waba_id = s.waba_id
        where k.key_hash = ${hashAccessKey(key.key)} and t.name = ${template.name}`;
      assert.deepEqual(row, {
        name,
        permissions: ["chatapp_notifications"],
        user_id: member.user_id,
        rate_per_second: 5,
        status: "pending",
        first: "BODY",
      });
    }
  }));
