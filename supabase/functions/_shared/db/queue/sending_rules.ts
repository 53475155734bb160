import { type Actor, auditChange } from "../access/audit.ts";
import { lockCompany } from "../access/companies.ts";
import { jsonParameter, type Sql } from "../driver/connect.ts";
import { inTransaction } from "../driver/in_transaction.ts";

/** A company's rules about when and how often to send, as they are stored: the readers check their form. */
export interface StoredSendingRules {
  sending_hours: unknown;
  frequency_caps: unknown;
}

/** Returns a company's rules; undefined when there is no such company. */
export async function readSendingRules(sql: Sql, companyId: string): Promise<StoredSendingRules | undefined> {
  const [row] = await sql<StoredSendingRules[]>`
    select coalesce(r.sending_hours, '[]') as sending_hours, coalesce(r.frequency_caps, '[]') as frequency_caps
    from outbound.companies as c
    left join outbound.contact_rules as r on r.company_id = c.id
    where c.id = ${companyId}`;
  return row;
}

/** Replaces those of a company's rules that are given, and records who did. */
export async function changeSendingRules(
  sql: Sql,
  { companyId, change }: {
    companyId: string;
    /** Returns what is to be stored instead; it runs while no other member can change the rules. */
    change: (before: StoredSendingRules) => Partial<StoredSendingRules>;
  },
  by: Actor,
): Promise<StoredSendingRules> {
  return await inTransaction(sql, async (on) => {
    await lockCompany(on, companyId);
    await on`
      insert into outbound.contact_rules (company_id) values (${companyId}) on conflict do nothing`;
    const [before] = await on<StoredSendingRules[]>`
      select sending_hours, frequency_caps from outbound.contact_rules where company_id = ${companyId}`;
    const changes = change({ ...before! });
    const after = { ...before!, ...changes };
    await on`
      update outbound.contact_rules
      set sending_hours = ${jsonParameter(sql, after.sending_hours)},
        frequency_caps = ${jsonParameter(sql, after.frequency_caps)}, updated_at = now()
      where company_id = ${companyId}`;
    const entry = { ...by, action: "contact_rules.updated", before: { ...before! }, after };
    await auditChange(on, companyId, entry);
    return after;
  });
}
