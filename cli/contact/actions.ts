import { readLift, readSuppression } from "../../supabase/functions/_shared/contacts/ledger_entries.ts";
import { requireLifted } from "../../supabase/functions/_shared/contacts/unsuppress.ts";
import { CLI } from "../../supabase/functions/_shared/db/access/audit.ts";
import type { Sql } from "../../supabase/functions/_shared/db/driver/connect.ts";
import { unsuppressContact } from "../../supabase/functions/_shared/db/contacts/contact_ledger.ts";
import { suppressContacts } from "../../supabase/functions/_shared/db/contacts/contacts.ts";
import { AppError } from "../../supabase/functions/_shared/errors.ts";
import { CommandError, type CommandErrorCode } from "../errors/command_error.ts";
import { refuseOnConstraint, requireCompanies } from "../errors/refusals.ts";

/** A person of a company and the messages that a suppression is about. */
export interface ScopeOptions {
  company: string;
  number?: string | undefined;
  userId?: string | undefined;
  channel: string;
  category: string;
  detail?: string | undefined;
}

/** The same, with how and when the person agreed again. */
export interface EvidenceOptions extends ScopeOptions {
  method?: string | undefined;
  consentedAt?: Date | undefined;
}

/**
 * Records for an operator that a person does not want to be written to. Returns whether that is new.
 *
 * @throws {CommandError} `bad_value` or `not_found`
 */
export async function suppressContact({ sql }: { sql: Sql }, options: ScopeOptions): Promise<boolean> {
  return await asCommand(async () => {
    const entry = { ...scopeOf(options), detail: options.detail };
    const suppression = readSuppression(entry, { source: "operator", now: new Date() });
    const recorded = suppressContacts(sql, options.company, [suppression], CLI);
    const [added] = await refuseOnConstraint(recorded, { companyId: options.company });
    return added!;
  });
}

/**
 * Lifts a person's suppressions: what operators, the API or imports recorded, and with evidence the person's own.
 *
 * @throws {CommandError} `bad_value`, `not_found` or `suppression_kept`
 */
export async function unsuppress(
  { sql }: { sql: Sql },
  options: EvidenceOptions,
): Promise<{ lifted: number; kept: string[] }> {
  await requireCompanies(sql, options.company);
  return await asCommand(async () => {
    const lift = readLift({ ...scopeOf(options), ...evidenceOf(options) }, new Date());
    return requireLifted(
      await unsuppressContact(sql, options.company, {
        ...lift,
        sources: ["operator", "api", "import"],
        by: "operator",
      }, CLI),
    );
  });
}

const CODES: Partial<Record<AppError["code"], CommandErrorCode>> = {
  not_found: "not_found",
  suppression_kept: "suppression_kept",
  validation_failed: "bad_value",
};

/** Does `work` and turns the API's refusals into those of a command. */
async function asCommand<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const code = error instanceof AppError ? CODES[error.code] : undefined;
    if (code === undefined) throw error;
    throw new CommandError(code, (error as AppError).message, { cause: error });
  }
}

function scopeOf({ number, userId, channel, category }: ScopeOptions): Record<string, unknown> {
  return { number, user_id: userId, channel, category };
}

function evidenceOf({ method, detail, consentedAt }: EvidenceOptions): Record<string, unknown> {
  return { method, detail, consented_at: consentedAt?.toISOString() };
}
