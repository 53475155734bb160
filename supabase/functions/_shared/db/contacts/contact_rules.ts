import { type Actor, auditChange } from "../access/audit.ts";
import { lockCompany } from "../access/companies.ts";
import { jsonParameter, type Sql } from "../driver/connect.ts";
import { inTransaction } from "../driver/in_transaction.ts";
import { snakeKeys } from "../../values/objects.ts";

export const CONSENT_POLICIES = ["off", "warn", "require"] as const;

/** A company's rules about recipients; those about times are elsewhere. */
export interface ContactRules {
  consentPolicy: typeof CONSENT_POLICIES[number];
  /** Folded, besides those of each language. */
  optOutWords: string[];
  optInWords: string[];
  useDefaultWords: boolean;
  /** Whether marketing waits while the platform spares a person more of it. */
  marketingCooldown: boolean;
  /** The reply to an opt-out. Null: a text in the language of the word; empty: none. */
  optOutConfirmation: string | null;
  /** Whether an opt-out that a person writes on WhatsApp stops calls too. */
  optOutStopsCalls: boolean;
  /** Null: forever. */
  keepNotificationsDays: number | null;
  keepMessagesDays: number | null;
  keepTranscriptsDays: number | null;
}

/** The rules of a company that never changed them. */
const DEFAULTS: ContactRules = {
  consentPolicy: "off",
  optOutWords: [],
  optInWords: [],
  useDefaultWords: true,
  marketingCooldown: false,
  optOutConfirmation: null,
  optOutStopsCalls: true,
  keepNotificationsDays: null,
  keepMessagesDays: null,
  keepTranscriptsDays: null,
};

/** Returns a company's rules. */
export async function readContactRules(sql: Sql, companyId: string): Promise<ContactRules> {
  const [row] = await sql<ContactRules[]>`
    select consent_policy as "consentPolicy", opt_out_words as "optOutWords", opt_in_words as "optInWords",
      use_default_words as "useDefaultWords", marketing_cooldown as "marketingCooldown",
      opt_out_confirmation as "optOutConfirmation", opt_out_stops_calls as "optOutStopsCalls",
      keep_notifications_days as "keepNotificationsDays", keep_messages_days as "keepMessagesDays",
      keep_transcripts_days as "keepTranscriptsDays"
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
        keep_transcripts_days
      )
      select ${companyId}, n."consentPolicy", n."optOutWords", n."optInWords", n."useDefaultWords",
        n."marketingCooldown", n."optOutConfirmation", n."optOutStopsCalls", n."keepNotificationsDays",
        n."keepMessagesDays", n."keepTranscriptsDays"
      from jsonb_to_record(${jsonParameter(on, after)}) as n(
        "consentPolicy" text, "optOutWords" text[], "optInWords" text[], "useDefaultWords" boolean,
        "marketingCooldown" boolean,
        "optOutConfirmation" text, "optOutStopsCalls" boolean, "keepNotificationsDays" int, "keepMessagesDays" int, "keepTranscriptsDays" int
      )
      on conflict on constraint contact_rules_pkey do update
        set consent_policy = excluded.consent_policy, opt_out_words = excluded.opt_out_words,
          opt_in_words = excluded.opt_in_words, use_default_words = excluded.use_default_words,
          marketing_cooldown = excluded.marketing_cooldown,
          opt_out_confirmation = excluded.opt_out_confirmation,
          opt_out_stops_calls = excluded.opt_out_stops_calls,
          keep_notifications_days = excluded.keep_notifications_days,
          keep_messages_days = excluded.keep_messages_days, keep_transcripts_days = excluded.keep_transcripts_days,
          -- Goes again through all that was accepted while everything was kept.
          notifications_erased_to = case when excluded.keep_notifications_days is not null
            then r.notifications_erased_to end,
          updated_at = now()`;
    const entry = { action: "contact_rules.updated", before: snakeKeys(before), after: snakeKeys(after) };
    await auditChange(on, companyId, { ...by, ...entry });
    return after;
  });
}

function withoutUndefined(changes: RuleChanges): Partial<ContactRules> {
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
}
