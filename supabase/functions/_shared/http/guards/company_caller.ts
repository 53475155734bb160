import { z } from "zod";
import type { Actor } from "../../db/access/audit.ts";
import { readKeyState } from "../../db/queue/send_context.ts";
import { readTemplateAccess, type TemplateAccess } from "../../db/templates/template_submissions.ts";
import { AppError } from "../../errors.ts";
import { accountToken } from "../../templates/account_token.ts";
import type { AppContext } from "../app/context.ts";
import {
  countFault,
  givenKey,
  presentedKeyHash,
  requireApiAccess,
  requireGoodKey,
  requireKeyForLargeBody,
} from "./access_key.ts";
import { requireUser } from "./require_user.ts";

/** The caller of an endpoint that takes a company's key as well as the token of one of its users. */
export type CompanyCaller = { keyHash: string; userId: null } | { keyHash: null; userId: string };

/**
 * Reads the caller: a company's key, or else a user's token as `Authorization: Bearer`. A key is looked up here
 * only before a large body; a user's token is checked here. Throws `unauthorized`, and what `requireUser` throws.
 */
export async function readCompanyCaller(c: AppContext): Promise<CompanyCaller> {
  if (givenKey(c) !== undefined) {
    const keyHash = presentedKeyHash(c);
    await requireKeyForLargeBody(c, { keyHash });
    return { keyHash, userId: null };
  }
  if (c.req.header("Authorization") === undefined) {
    throw new AppError(
      "unauthorized",
      "Send Authorization: Bearer with your company's key or your access token, or add ?access_key=<the key> to the URL",
    );
  }
  const userId = await requireUser(c);
  c.set("isKnown", true);
  return { keyHash: null, userId };
}

/** Returns what to throw for a request that could not be read: see {@link countFault}. A user's are not counted. */
export async function faultFor(c: AppContext, caller: CompanyCaller, error: unknown): Promise<unknown> {
  return caller.keyHash === null ? error : await countFault(c, caller, error);
}

/** A business account that a caller may use. */
export interface OpenedAccount {
  companyId: string;
  /** Opens it at the platform. */
  token: string;
  /** For the audit. */
  by: Actor;
}

/**
 * Makes sure that the caller may act for a company, and that the business account is that company's. Counts a request of
 * the key, if a key calls.
 *
 * Throws `unauthorized`, `rate_limit_exceeded`, `forbidden`, `api_access_off`, and `validation_failed` when no sender of
 * the account has a token.
 */
export async function requireBusinessAccount(
  c: AppContext,
  caller: CompanyCaller,
  { companyId: given, wabaId }: { companyId: string; wabaId: string },
): Promise<OpenedAccount> {
  const { sql } = c.get("services");
  const companyId = z.guid().safeParse(given.toLowerCase()).data;
  let actor: Actor["actor"] = `user:${caller.userId}`;
  if (caller.keyHash !== null) {
    const key = await readKeyState(sql, caller.keyHash, 1);
    requireGoodKey(c, key);
    if (key.company_id !== companyId) throw notOfCompany("This access key belongs to another company");
    actor = `key:${key.api_key_id}`;
  }
  const access = companyId && await readTemplateAccess(sql, { companyId, wabaId, userId: caller.userId });
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
