import type { PersonKey } from "../../supabase/functions/_shared/values/address.ts";
import { eraseContact, erasedHashesOf } from "../../supabase/functions/_shared/contacts/erasure.ts";
import { exportContact } from "../../supabase/functions/_shared/contacts/export_contact.ts";
import {
  readConsent,
  readLift,
  readPersonKey,
  readSuppression,
} from "../../supabase/functions/_shared/contacts/ledger_entries.ts";
import { requireLifted } from "../../supabase/functions/_shared/contacts/unsuppress.ts";
import type { Sealer } from "../../supabase/functions/_shared/crypto/seal.ts";
import { CLI } from "../../supabase/functions/_shared/db/access/audit.ts";
import type { Sql } from "../../supabase/functions/_shared/db/driver/connect.ts";
import type { ErasedCounts } from "../../supabase/functions/_shared/db/contacts/contact_erasure.ts";
import { unsuppressContact } from "../../supabase/functions/_shared/db/contacts/contact_ledger.ts";
import { recordConsents, suppressContacts } from "../../supabase/functions/_shared/db/contacts/contacts.ts";
import { CommandError } from "../errors/command_error.ts";
import { refuseOnConstraint, requireCompanies } from "../errors/refusals.ts";
import type { Session } from "../session.ts";
import { asCommand } from "./refusals.ts";

/** A person of a company, as a command names them. */
export interface PersonOptions {
  company: string;
  number?: string | undefined;
  userId?: string | undefined;
}

/** The same, or by the contact. */
export interface PersonKeyOptions extends PersonOptions {
  contactId?: string | undefined;
}

export interface ScopeOptions extends PersonOptions {
  channel: string;
  category: string;
  detail?: string | undefined;
}

export interface EvidenceOptions extends ScopeOptions {
  method?: string | undefined;
  consentedAt?: Date | undefined;
}

/**
 * Records that a person does not want to be written to. Returns whether that is new.
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

/**
 * Records that a person agreed, or took that back.
 *
 * @throws {CommandError} `bad_value` or `not_found`
 */
export async function recordConsent(
  { sql, sealer }: { sql: Sql; sealer: Sealer },
  { withdrawn = false, ...options }: EvidenceOptions & { withdrawn?: boolean },
): Promise<{ added: boolean; kept: string[] }> {
  return await asCommand(async () => {
    const entry = {
      ...scopeOf(options),
      ...evidenceOf(options),
      status: withdrawn ? "withdrawn" : "granted",
    };
    const consent = readConsent(entry, { source: "operator", now: new Date() });
    const hashes = (await erasedHashesOf({ sql, sealer }, options.company))(consent);
    const recorded = recordConsents(sql, options.company, [{ ...consent, hashes }], CLI);
    const [result] = await refuseOnConstraint(recorded, { companyId: options.company });
    return { ...result! };
  });
}

/**
 * Returns everything about a person, as JSON.
 *
 * @throws {CommandError} `bad_value` or `not_found`
 */
export async function exportPerson(
  { sql, mediaStore }: Pick<Session, "sql" | "mediaStore">,
  options: PersonKeyOptions,
): Promise<string> {
  await requireCompanies(sql, options.company);
  const person = await personOf(options);
  const request = { ...person, ...CLI, companyId: options.company, requestId: null };
  // The file itself names what could not be read.
  const services = { sql, mediaStore, log: { error() {} } };
  return (await asCommand(() => Array.fromAsync(exportContact(services, request)))).join("");
}

/**
 * Erases a person.
 *
 * @throws {CommandError} `bad_value`, `not_found`, or `message_on_its_way`
 */
export async function erasePerson(
  { sql, sealer }: { sql: Sql; sealer: Sealer },
  options: PersonKeyOptions,
): Promise<ErasedCounts> {
  await requireCompanies(sql, options.company);
  const person = await personOf(options);
  const erased = await asCommand(() =>
    eraseContact({ sql, sealer }, { ...person, companyId: options.company, actor: "cli", requestId: null })
  );
  if (erased.kind === "erased") return erased.counts;
  throw new CommandError(
    "message_on_its_way",
    `A message to this person is on its way, or a call is going on: retry in ${erased.retryAfterS} s`,
  );
}

/** Reads the person that options name. */
async function personOf({ number, userId, contactId }: PersonKeyOptions): Promise<PersonKey> {
  return await asCommand(() =>
    Promise.resolve().then(() => readPersonKey({ number, user_id: userId, contact_id: contactId }))
  );
}

function scopeOf({ number, userId, channel, category }: ScopeOptions): Record<string, unknown> {
  return { number, user_id: userId, channel, category };
}

function evidenceOf({ method, detail, consentedAt }: EvidenceOptions): Record<string, unknown> {
  return { method, detail, consented_at: consentedAt?.toISOString() };
}
