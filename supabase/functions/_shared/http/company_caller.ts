import { AppError } from "../errors.ts";
import { presentedKeyHash } from "./access_key.ts";
import { afterKey } from "./after_key.ts";
import type { AppContext } from "./app.ts";
import { requireUser } from "./require_user.ts";

/** Who calls an endpoint that takes a company's key as well as the token of one of its users. */
export type CompanyCaller = { keyHash: string; userId: null } | { keyHash: null; userId: string };

/**
 * Reads who is calling: `access_key` in the query, or else `Authorization: Bearer`. The key is only looked up later; a
 * user's token is checked here. Throws `unauthorized`, and what `requireUser` throws.
 */
export async function readCompanyCaller(c: AppContext): Promise<CompanyCaller> {
  if (c.req.query("access_key")) return { keyHash: presentedKeyHash(c), userId: null };
  if (c.req.header("Authorization") === undefined) {
    throw new AppError(
      "unauthorized",
      "Add ?access_key=<your company's key> to the URL, or send Authorization: Bearer <access_token>",
    );
  }
  const userId = await requireUser(c);
  c.set("isKnown", true);
  return { keyHash: null, userId };
}

/** Reads the request, but tells what is wrong with it only to a caller who is known. */
export async function afterCaller<Result>(
  c: AppContext,
  caller: CompanyCaller,
  read: () => Promise<Result>,
): Promise<Result> {
  return caller.keyHash === null ? await read() : await afterKey(c, caller, read);
}
