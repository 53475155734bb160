import { CLI } from "../../supabase/functions/_shared/db/access/audit.ts";
import type postgres from "postgres";
import {
  type Consent,
  recordConsents,
  suppressContacts,
  type Suppression,
} from "../../supabase/functions/_shared/db/contacts/contacts.ts";

/** Records that a person does not want marketing on any channel; `changes` replace fields. */
export async function suppress(
  sql: postgres.Sql,
  companyId: string,
  changes: Partial<Suppression>,
): Promise<boolean> {
  const suppression: Suppression = {
    number: null,
    user_id: null,
    channel: "any",
    category: "marketing",
    source: "api",
    at: new Date().toISOString(),
    evidence: null,
    ...changes,
  };
  const [added] = await suppressContacts(sql, companyId, [suppression], CLI);
  return added!;
}

/** Records that a person agreed to marketing on any channel, or with `status` that it was taken back. */
export async function consent(
  sql: postgres.Sql,
  companyId: string,
  changes: Partial<Consent>,
): Promise<void> {
  await recordConsents(sql, companyId, [{
    number: null,
    user_id: null,
    channel: "any",
    category: "marketing",
    status: "granted",
    method: "website",
    detail: null,
    consented_at: new Date().toISOString(),
    source: "api",
    ...changes,
  }], CLI);
}

/** Sets what a company's marketing needs. */
export async function setConsentPolicy(
  sql: postgres.Sql,
  companyId: string,
  policy: "off" | "warn" | "require",
): Promise<void> {
  await sql`
    insert into outbound.contact_rules (company_id, consent_policy) values (${companyId}, ${policy})
    on conflict on constraint contact_rules_pkey do update set consent_policy = excluded.consent_policy`;
}
