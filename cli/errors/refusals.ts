import { isOneLine, WITHOUT_CONTROLS } from "../../supabase/functions/_shared/values/control_characters.ts";
import { isTestCompany } from "../../supabase/functions/_shared/db/access/test_companies.ts";
import { findUnknownCompanies } from "../../supabase/functions/_shared/db/access/companies.ts";
import type { Sql } from "../../supabase/functions/_shared/db/driver/connect.ts";
import { CommandError } from "./command_error.ts";

/** Returns the refusal for an id that names no company. */
export function unknownCompany(companyId: string): CommandError {
  return new CommandError("not_found", `No company with id ${companyId}`);
}

/** Values of a command that refusals quote. */
export interface Quoted {
  companyId?: string;
  channel?: string;
  number?: string;
  platformId?: string;
}

/** The refusal for a write that breaks a constraint of the schema, by the constraint's name. */
const BY_CONSTRAINT: Record<string, (quoted: Quoted) => CommandError> = {
  api_keys_current_idx: ({ companyId }) =>
    alreadyExists(`Company ${companyId} has a key already: its owners rotate it`),
  companies_name_check: () => badValue("The name must have 1 to 200 characters"),
  senders_concurrency_check: () => badValue("--concurrency must be 1 to 1000 calls"),
  senders_number_check: () => badValue("The number must have 7 to 15 digits, no + and no leading 0"),
  senders_number_key: ({ companyId, channel, number }) =>
    alreadyExists(`Company ${companyId} has a ${channel} sender with number ${number} already`),
  senders_platform_key: ({ companyId, channel, platformId }) =>
    alreadyExists(`Company ${companyId} has a ${channel} sender with platform id ${platformId} already`),
  senders_waba_check: () => badValue("A WhatsApp sender needs its business account: give --waba-id"),
  voice_agents_name_check: () => badValue("The name must have 1 to 200 characters"),
  voice_agents_platform_check: () => badValue("The platform's id of an agent must have 1 to 200 characters"),
};

function badValue(message: string): CommandError {
  return new CommandError("bad_value", message);
}

function alreadyExists(message: string): CommandError {
  return new CommandError("already_exists", message);
}

/**
 * Waits for a write and turns the breach of a constraint into a refusal. The constraint decides, so two commands at once
 * cannot slip past it. Other errors pass through.
 *
 * @throws {CommandError} `bad_value`, `already_exists`, or `not_found` for an unknown company
 */
export async function refuseOnConstraint<T>(write: Promise<T>, quoted: Quoted = {}): Promise<T> {
  try {
    return await write;
  } catch (error) {
    const { constraint_name: constraint = "" } = error as { constraint_name?: string };
    if (quoted.companyId && constraint.endsWith("_company_fkey")) throw unknownCompany(quoted.companyId);
    throw BY_CONSTRAINT[constraint]?.(quoted) ?? error;
  }
}

/**
 * Refuses ids that name no company, for commands that would otherwise find nothing and not know why.
 *
 * @throws {CommandError} `not_found` for the first of them
 */
export async function requireCompanies(sql: Sql, ...companyIds: string[]): Promise<void> {
  const [unknown] = await findUnknownCompanies(sql, companyIds);
  if (unknown !== undefined) throw unknownCompany(unknown);
}

/**
 * Refuses to give a test company what its live company has for it: senders, and a key that is no test key.
 *
 * @throws {CommandError} `bad_value`
 */
export async function refuseTestCompany(sql: Sql, companyId: string): Promise<void> {
  if (!await isTestCompany(sql, companyId)) return;
  throw new CommandError("bad_value", `Company ${companyId} is a test company: name the live company`);
}

/**
 * Refuses names and ids with line ends or other control characters.
 *
 * @param fields each text by the name that the message gives it
 * @throws {CommandError} `bad_value`
 */
export function requireOneLine(fields: Record<string, string | null | undefined>): void {
  for (const [name, text] of Object.entries(fields)) {
    if (typeof text !== "string" || isOneLine(text)) continue;
    throw badValue(`The ${name} must be one line of ${WITHOUT_CONTROLS}`);
  }
}
