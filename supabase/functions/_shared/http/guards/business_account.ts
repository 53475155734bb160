import { z } from "zod";
import { limitedToSenders } from "../../access/key_refusal.ts";
import type { Actor } from "../../db/access/audit.ts";
import { readTemplateAccess, type TemplateAccess } from "../../db/templates/template_submissions.ts";
import { AppError } from "../../errors.ts";
import { accountToken } from "../../templates/account_token.ts";
import type { AppContext } from "../app/context.ts";
import { enterCompanyCell } from "../app/request_cell.ts";
import { requireApiAccess } from "./access_key.ts";
import type { Identity } from "./company_caller.ts";

/** A business account that a caller may use. */
export interface OpenedAccount {
  companyId: string;
  /** Opens it at the platform. */
  token: string;
  /** For the audit. */
  by: Actor;
}

/**
 * Makes sure that the caller may act for a company, and that the business account is that company's.
 *
 * Throws `forbidden`, `api_access_off`, and `validation_failed` when no sender of the account has a token.
 */
export async function requireBusinessAccount(
  c: AppContext,
  identity: Identity,
  { companyId: given, wabaId }: { companyId: string; wabaId: string },
): Promise<OpenedAccount> {
  const companyId = z.guid().safeParse(given.toLowerCase()).data;
  const userId = identity.kind === "user" ? identity.userId : null;
  if (identity.kind === "key" && identity.key.company_id !== companyId) {
    throw notOfCompany("This access key belongs to another company");
  }
  // The templates of an account are those of all its senders.
  if (identity.kind === "key" && identity.key.sender_ids !== null) throw AppError.from(limitedToSenders());
  if (companyId !== undefined && identity.kind === "user") enterCompanyCell(c, companyId);
  const { sql } = c.get("services");
  const actor: Actor["actor"] = identity.kind === "key" ? `key:${identity.key.api_key_id}` : `user:${userId}`;
  const access = companyId && await readTemplateAccess(sql, { companyId, wabaId, userId });
  if (!companyId || !access || !access.is_member) throw notOfCompany("You may not act for this company");
  c.set("companyId", companyId);
  requireApiAccess(access, c.get("effect"));
  if (!access.is_known) throw notOfCompany("The company has no sender in this business account");
  const token = await openAccount(c, companyId, access);
  return { companyId, token, by: { actor, requestId: c.get("requestId") } };
}

function notOfCompany(message: string): AppError {
  return new AppError("forbidden", message);
}

/** Returns the token of a business account. Throws `validation_failed` when none of its senders has one. */
export async function openAccount(
  c: AppContext,
  companyId: string,
  { sender_id, token_sealed }: TemplateAccess,
): Promise<string> {
  const { sealer } = c.get("services");
  if (token_sealed !== null) {
    return await accountToken(sealer, { company_id: companyId, sender_id, token_sealed });
  }
  throw new AppError("validation_failed", "None of the business account's senders has a token", {
    details: { field: "waba_id", reason: "none of its senders has a token" },
  });
}
