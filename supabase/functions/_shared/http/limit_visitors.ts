import { sha256Hex } from "../crypto/sha256_hex.ts";
import { countVisitorRequest } from "../db/visitor_limits.ts";
import { tooManyRequests } from "../errors.ts";
import type { AppContext } from "./app.ts";
import { clientAddress } from "./client_address.ts";

export interface VisitorLimit {
  /** What is being counted. */
  what: string;
  windowS: number;
  /** Requests of one address, in the window. An address may be an office, so it gets more than a single visitor. */
  perAddress: number;
  /** Requests about one thing (a conversation, a session), in the window. */
  perSubject?: { id: string; limit: number };
}

/** Counts a request of a visitor. Throws `rate_limit_exceeded` once it is one too many. */
export async function limitVisitors(c: AppContext, limit: VisitorLimit): Promise<void> {
  const address = clientAddress(c);
  const { what, windowS, perAddress, perSubject } = limit;
  const subjects = [
    ...(address ? [{ subject: sha256Hex(`${what}:address:${address}`), limit: perAddress }] : []),
    ...(perSubject ? [{ subject: sha256Hex(`${what}:${perSubject.id}`), limit: perSubject.limit }] : []),
  ];
  if (subjects.length === 0) return;
  const { sql, now } = c.var.services;
  const { wait_s, reached } = await countVisitorRequest(sql, { subjects, windowS });
  if (wait_s === 0) return;
  throw tooManyRequests("Too many requests", { limit: reached!, waitS: wait_s, windowS, now: now() });
}
