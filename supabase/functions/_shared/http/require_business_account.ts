import { z } from "zod";
import type { Sealer } from "../crypto/seal.ts";
import { readKeyState } from "../db/send_context.ts";
import { readTemplateAccess, type TemplateAccess } from "../db/template_submissions.ts";
import { AppError } from "../errors.ts";
import { openToken } from "../templates/open_token.ts";
import { apiAccessOff, requireGoodKey } from "./access_key.ts";
import type { AppContext } from "./app.ts";
import type { CompanyCaller } from "./company_caller.ts";

/**
 * Makes sure that the caller may act for a company and that the business account is that company's; answers the token
 * that opens the account. Counts a request of the key, if it is a key that calls.
 *
 * Throws `unauthorized`, `rate_limit_exceeded`, `forbidden`, and `validation_failed` when no sender of the account has a
 * token.
 */
export async function requireBusinessAccount(
  c: AppContext,
  caller: CompanyCaller,
  { companyId: given, wabaId }: { companyId: string; wabaId: string },
): Promise<{ companyId: string; token: string }> {
  const { sql, sealer } = c.var.services;
  const companyId = z.guid().safeParse(given.toLowerCase()).data;
  if (caller.keyHash !== null) {
    const key = await readKeyState(sql, caller.keyHash, 1);
    requireGoodKey(c, key);
    if (key.company_id !== companyId) throw notOfCompany("This access key belongs to another company");
  }
  const access = companyId && await readTemplateAccess(sql, { companyId, wabaId, userId: caller.userId });
  if (!companyId || !access || !access.is_member) throw notOfCompany("You do not belong to this company");
  c.set("companyId", companyId);
  if (!access.api_access) throw apiAccessOff();
  if (!access.is_known) throw notOfCompany("The company has no sender in this business account");
  return { companyId, token: await openAccountToken(sealer, companyId, access) };
}

function notOfCompany(message: string): AppError {
  return new AppError("forbidden", message);
}

async function openAccountToken(
  sealer: Sealer,
  companyId: string,
  { sender_id: senderId, token_sealed: tokenSealed }: TemplateAccess,
): Promise<string> {
  if (tokenSealed !== null) return await openToken(sealer, { companyId, senderId, tokenSealed });
  throw new AppError("validation_failed", "None of the business account's senders has a token", {
    details: { field: "waba_id", reason: "none of its senders has a token" },
  });
}
