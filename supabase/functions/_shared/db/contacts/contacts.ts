import type { Actor } from "../access/audit.ts";
import { jsonParameter, type Sql } from "../driver/connect.ts";

export const CONTACT_CHANNELS = ["any", "whatsapp", "voice"] as const;
export const CONTACT_CATEGORIES = ["marketing", "all"] as const;
/** The sources of the statement that a person does not want to be written to, or does. */
export const CONTACT_SOURCES = ["keyword", "button", "platform", "api", "import", "operator"] as const;

/** The person and the kind of messages that a suppression or a consent is about. */
export interface ContactScope {
  number: string | null;
  user_id: string | null;
  channel: typeof CONTACT_CHANNELS[number];
  category: typeof CONTACT_CATEGORIES[number];
}

/** A person who does not want to be written to. Field names are those of `outbound.suppress_contacts`. */
export interface Suppression extends ContactScope {
  source: typeof CONTACT_SOURCES[number];
  /** When it was said, ISO 8601. */
  at: string;
  /** The words, and where they came from. */
  evidence: Record<string, unknown> | null;
}

/** Records suppressions, with a row in the audit if any is new. Returns for each, in order, whether it is new. */
export async function suppressContacts(
  sql: Sql,
  companyId: string,
  suppressions: Suppression[],
  { actor, requestId }: Actor,
): Promise<boolean[]> {
  const rows = await sql<{ added: boolean }[]>`
    with done as materialized (
      select ord, added from outbound.suppress_contacts(${companyId}, ${jsonParameter(sql, suppressions)})
    ),
    audited as materialized (
      select outbound.write_audit(${companyId}, ${actor}, 'contact.suppressed', null, null,
        jsonb_build_object('added', count(*)), ${requestId ?? null})
      from done where added having count(*) > 0
    )
    select added from done cross join (select count(*) from audited) as written order by ord`;
  return rows.map(({ added }) => added);
}

/** A consent, or that it was taken back. Field names are those of `outbound.record_consents`. */
export interface Consent extends ContactScope {
  status: "granted" | "withdrawn";
  /** How it was given: website, paper, message … */
  method: string;
  detail: string | null;
  /** ISO 8601. */
  consented_at: string;
  source: Suppression["source"];
  /** The hashes of number and user id, which end the suppression of an erased person (`contacts/erasure.ts`). */
  hashes?: string[];
}

export interface RecordedConsent {
  /** False for one that was recorded already. */
  added: boolean;
  /** The sources by which the person is still suppressed. */
  kept: Suppression["source"][];
}

/** Records consents, with a row in the audit if any is new. Returns for each, in order, what came of it. */
export async function recordConsents(
  sql: Sql,
  companyId: string,
  consents: Consent[],
  { actor, requestId }: Actor,
): Promise<RecordedConsent[]> {
  return [
    ...await sql<RecordedConsent[]>`
      with done as materialized (
        select ord, added, kept from outbound.record_consents(${companyId}, ${jsonParameter(sql, consents)})
      ),
      audited as materialized (
        select outbound.write_audit(${companyId}, ${actor}, 'consent.recorded', null, null,
          jsonb_build_object('added', count(*)), ${requestId ?? null})
        from done where added having count(*) > 0
      )
      select added, kept from done cross join (select count(*) from audited) as written order by ord`,
  ];
}
