import { type Actor, auditChange } from "../access/audit.ts";
import { lockCompany } from "../access/companies.ts";
import { jsonParameter, type Sql } from "../driver/connect.ts";
import { inTransaction } from "../driver/in_transaction.ts";

export const CONSENT_POLICIES = ["off", "warn", "require"] as const;

/** A company's rules about recipients; those about times are elsewhere. */
export interface ContactRules {
  consent_policy: typeof CONSENT_POLICIES[number];
  /** Folded, besides those of each language. */
  opt_out_words: string[];
  opt_in_words: string[];
  use_default_words: boolean;
  /** Whether marketing waits while the platform spares a person more of it. */
  marketing_cooldown: boolean;
  /** The reply to an opt-out. Null: a text in the language of the word; empty: none. */
  opt_out_confirmation: string | null;
  /** Whether an opt-out that a person writes on WhatsApp stops calls too. */
  opt_out_stops_calls: boolean;
  /** Null: forever. */
  keep_notifications_days: number | null;
  keep_messages_days: number | null;
  keep_transcripts_days: number | null;
  /** After how many days messages of campaigns that are over go to the archive. Null: never. */
  archive_after_days: number | null;
}

/** The rules of a company that never changed them. */
const DEFAULTS: ContactRules = {
  consent_policy: "off",
  opt_out_words: [],
  opt_in_words: [],
  use_default_words: true,
  marketing_cooldown: false,
  opt_out_confirmation: null,
  opt_out_stops_calls: true,
  keep_notifications_days: null,
  keep_messages_days: null,
  keep_transcripts_days: null,
  archive_after_days: null,
};

/** Returns a company's rules. */
export async function readContactRules(sql: Sql, companyId: string): Promise<ContactRules> {
  const [row] = await sql<ContactRules[]>`
    select consent_policy, opt_out_words, opt_in_words,
      use_default_words, marketing_cooldown,
      opt_out_confirmation, opt_out_stops_calls,
      keep_notifications_days, keep_messages_days,
      keep_transcripts_days, archive_after_days
    from outbound.contact_rules where company_id = ${companyId}`;
  return row ? { ...row } : DEFAULTS;
}

/** The rules to change; the others stay. */
export type RuleChanges = { [Name in keyof ContactRules]?: ContactRules[Name] | undefined };

/** Changes rules of a company and returns all of them. Null when there is no such company. */
export async function updateContactRules(
  sql: Sql,
  companyId: string,
  changes: RuleChanges,
  by: Actor,
): Promise<ContactRules | null> {
  return await inTransaction(sql, async (on) => {
    if (!await lockCompany(on, companyId)) return null;
    const before = await readContactRules(on, companyId);
    const after = { ...before, ...withoutUndefined(changes) };
    await on`
      insert into outbound.contact_rules as r (
        company_id, consent_policy, opt_out_words, opt_in_words, use_default_words, marketing_cooldown,
        opt_out_confirmation, opt_out_stops_calls, keep_notifications_days, keep_messages_days,
        keep_transcripts_days, archive_after_days
      )
      select ${companyId}, n.consent_policy, n.opt_out_words, n.opt_in_words, n.use_default_words,
        n.marketing_cooldown, n.opt_out_confirmation, n.opt_out_stops_calls, n.keep_notifications_days,
        n.keep_messages_days, n.keep_transcripts_days, n.archive_after_days
      from jsonb_to_record(${jsonParameter(on, after)}) as n(
        consent_policy text, opt_out_words text[], opt_in_words text[], use_default_words boolean,
        marketing_cooldown boolean, opt_out_confirmation text, opt_out_stops_calls boolean,
        keep_notifications_days int, keep_messages_days int, keep_transcripts_days int, archive_after_days int
      )
      on conflict on constraint contact_rules_pkey do update
        set consent_policy = excluded.consent_policy, opt_out_words = excluded.opt_out_words,
          opt_in_words = excluded.opt_in_words, use_default_words = excluded.use_default_words,
          marketing_cooldown = excluded.marketing_cooldown,
          opt_out_confirmation = excluded.opt_out_confirmation,
          opt_out_stops_calls = excluded.opt_out_stops_calls,
          keep_notifications_days = excluded.keep_notifications_days,
          keep_messages_days = excluded.keep_messages_days, keep_transcripts_days = excluded.keep_transcripts_days,
          archive_after_days = excluded.archive_after_days,
          -- The company's next turn begins now, with the files from which more is to be erased (plan_archive_file).
          archive_cursor = null, archive_at = now(),
          -- Goes again through all that was accepted while everything was kept.
          notifications_erased_to = case when excluded.keep_notifications_days is not null
            then r.notifications_erased_to end,
          updated_at = now()`;
    await auditChange(on, companyId, {
      ...by,
      action: "contact_rules.updated",
      before: { ...before },
      after: { ...after },
    });
    return after;
  });
}

function withoutUndefined(changes: RuleChanges): Partial<ContactRules> {
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
}
