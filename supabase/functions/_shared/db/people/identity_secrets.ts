import { type Actor, writeAudit } from "../access/audit.ts";
import type { Sql } from "../driver/connect.ts";
import { inTransaction } from "../driver/in_transaction.ts";

/** The secret that a company's website signs its visitors with. */
export interface IdentitySecret {
  secret_sealed: string;
  created_at: Date;
}

/** Returns the secret of a company; undefined when it has none. */
export async function readIdentitySecret(sql: Sql, companyId: string): Promise<IdentitySecret | undefined> {
  const [row] = await sql<IdentitySecret[]>`
    select secret_sealed, created_at from outbound.identity_secrets where company_id = ${companyId}`;
  return row;
}

/** Replaces the secret of a company, with a row in the audit. */
export async function replaceIdentitySecret(
  sql: Sql,
  companyId: string,
  sealed: string,
  by: Actor,
): Promise<IdentitySecret> {
  return await inTransaction(sql, async (on) => {
    const [row] = await on<IdentitySecret[]>`
      insert into outbound.identity_secrets (company_id, secret_sealed) values (${companyId}, ${sealed})
      on conflict on constraint identity_secrets_pkey do update
        set secret_sealed = excluded.secret_sealed, created_at = now()
      returning secret_sealed, created_at`;
    await writeAudit(on, companyId, { ...by, action: "identity_secret.rotated" });
    return row!;
  });
}

/** Ties a conversation to the contact of its visitor, unless that contact was erased or merged meanwhile. */
export async function tieConversation(
  sql: Sql,
  { companyId, conversationId, contactId }: { companyId: string; conversationId: string; contactId: string },
): Promise<void> {
  await sql`
    with kept as (
      select id from outbound.contacts where company_id = ${companyId} and id = ${contactId} for key share
    )
    update outbound.conversations as v set contact_id = kept.id from kept
    where v.company_id = ${companyId} and v.id = ${conversationId} and v.contact_id is distinct from kept.id`;
}
