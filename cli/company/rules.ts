import { type Command, InvalidArgumentError, Option } from "commander";
import { foldWords } from "../../supabase/functions/_shared/contacts/fold_words.ts";
import { isPlainText } from "../../supabase/functions/_shared/values/control_characters.ts";
import { CLI } from "../../supabase/functions/_shared/db/access/audit.ts";
import type { Sql } from "../../supabase/functions/_shared/db/driver/connect.ts";
import {
  CONSENT_POLICIES,
  type ContactRules,
  readContactRules,
  type RuleChanges,
  updateContactRules,
} from "../../supabase/functions/_shared/db/contacts/contact_rules.ts";
import { refuseOnConstraint, requireCompanies, unknownCompany } from "../errors/refusals.ts";
import { requireMediaStore } from "../archive/require_media_store.ts";
import { renderFields } from "../terminal/render.ts";
import type { Run } from "../session.ts";
import { uuid, wholeNumber } from "../terminal/values.ts";

interface RulesOptions {
  consentPolicy?: ContactRules["consent_policy"];
  optOutWords?: string[];
  optInWords?: string[];
  defaultWords: boolean;
  marketingCooldown: boolean;
  confirmation?: string;
  optOutStopsCalls: boolean;
  keepNotifications?: number | "forever";
  keepMessages?: number | "forever";
  keepTranscripts?: number | "forever";
  archiveAfter?: number | "never";
}

/** Adds `company rules`. */
export function addRules(company: Command, run: Run): void {
  company.command("rules")
    .description(
      "show or change a company's rules about recipients: consent, opt-out words, how long data is kept",
    )
    .argument("<company-id>", "the company's id", uuid)
    .addOption(
      new Option("--consent-policy <policy>", "what marketing needs: nothing, a warning, or a consent")
        .choices([...CONSENT_POLICIES]),
    )
    .option("--opt-out-words <list>", "own words, separated by commas; empty for none", words)
    .option("--opt-in-words <list>", "own words, separated by commas; empty for none", words)
    .option("--default-words", "use the words of each language too")
    .option("--no-default-words", "use the own words only")
    .option("--marketing-cooldown", "after 131049, marketing to that person waits for 24 hours")
    .option("--no-marketing-cooldown", "marketing leaves at once")
    .option("--confirmation <text|none|default>", "the reply to an opt-out", confirmation)
    .option("--opt-out-stops-calls", "an opt-out on WhatsApp stops calls too")
    .option("--no-opt-out-stops-calls", "an opt-out on WhatsApp stops messages only")
    .option("--keep-notifications <days|forever>", "recipients and contents of notifications", days)
    .option("--keep-messages <days|forever>", "what people wrote, and what was replied", days)
    .option("--keep-transcripts <days|forever>", "what was said in calls", days)
    .option(
      "--archive-after <days|never>",
      "campaigns that are over leave the database for files",
      archiveDays,
    )
    .action((companyId: string, options: RulesOptions, command: Command) =>
      run(async (session) => {
        // Without a store nothing would ever be archived.
        if (typeof options.archiveAfter === "number") requireMediaStore(session);
        const given = (name: "defaultWords" | "marketingCooldown" | "optOutStopsCalls") =>
          command.getOptionValueSource(name) === "cli" ? options[name] : undefined;
        const rules = await changeRules(session, companyId, {
          consent_policy: options.consentPolicy,
          opt_out_words: options.optOutWords,
          opt_in_words: options.optInWords,
          use_default_words: given("defaultWords"),
          marketing_cooldown: given("marketingCooldown"),
          opt_out_confirmation: textOf(options.confirmation),
          opt_out_stops_calls: given("optOutStopsCalls"),
          keep_notifications_days: daysOf(options.keepNotifications),
          keep_messages_days: daysOf(options.keepMessages),
          keep_transcripts_days: daysOf(options.keepTranscripts),
          archive_after_days: daysOf(options.archiveAfter),
        });
        return { json: { company_id: companyId, ...rules }, text: describeRules(rules) };
      })
    )
    .addHelpText(
      "after",
      `
Examples:
  deno task admin company rules "$COMPANY"
  deno task admin company rules "$COMPANY" --consent-policy require --keep-notifications 365
  deno task admin company rules "$COMPANY" --opt-out-words "no more,basta" --confirmation none`,
    );
}

/**
 * Changes the given rules, if any, and returns all of them.
 *
 * @throws {CommandError} `not_found`
 */
export async function changeRules(
  { sql }: { sql: Sql },
  companyId: string,
  changes: RuleChanges,
): Promise<ContactRules> {
  if (Object.values(changes).every((change) => change === undefined)) {
    await requireCompanies(sql, companyId);
    return await readContactRules(sql, companyId);
  }
  const rules = await refuseOnConstraint(updateContactRules(sql, companyId, changes, CLI));
  if (!rules) throw unknownCompany(companyId);
  return rules;
}

const MAX_WORDS = 100;
/** The platform reports about a message for less. */
const MIN_ARCHIVE_DAYS = 30;
const MAX_CONFIRMATION = 1024;

function words(value: string): string[] {
  const folded = value.split(",").map(foldWords).filter((word) => word !== "");
  if (folded.length > MAX_WORDS) throw new InvalidArgumentError(`Expected at most ${MAX_WORDS} words.`);
  return [...new Set(folded)];
}

// Commander would replace a null that a reader returns, so these words become null later.

function confirmation(value: string): string {
  if (value.trim() !== "" && value.length <= MAX_CONFIRMATION && isPlainText(value)) return value;
  throw new InvalidArgumentError(`Expected 1 to ${MAX_CONFIRMATION} characters, none or default.`);
}

function days(value: string): number | "forever" {
  return value === "forever" ? value : wholeNumber(1)(value);
}

function archiveDays(value: string): number | "never" {
  return value === "never" ? value : wholeNumber(MIN_ARCHIVE_DAYS)(value);
}

function daysOf(value: number | "forever" | "never" | undefined): number | null | undefined {
  return value === "forever" || value === "never" ? null : value;
}

function textOf(value: string | undefined): string | null | undefined {
  return value === "default" ? null : value === "none" ? "" : value;
}

function describeRules(rules: ContactRules): string {
  const kept = (days: number | null) => days === null ? "forever" : `${days} days`;
  const { opt_out_confirmation: text, archive_after_days: archived } = rules;
  return renderFields([
    ["consent for marketing", rules.consent_policy],
    ["own opt-out words", rules.opt_out_words.join(", ")],
    ["own opt-in words", rules.opt_in_words.join(", ")],
    ["words of each language", rules.use_default_words],
    ["marketing waits after 131049", rules.marketing_cooldown],
    ["reply to an opt-out", text === null ? "in the language of the word" : text === "" ? "none" : text],
    ["opt-outs on WhatsApp stop calls", rules.opt_out_stops_calls],
    ["notifications are kept", kept(rules.keep_notifications_days)],
    ["messages are kept", kept(rules.keep_messages_days)],
    ["transcripts are kept", kept(rules.keep_transcripts_days)],
    ["campaigns are archived", archived === null ? "never" : `${archived} days after they were made`],
  ]);
}
