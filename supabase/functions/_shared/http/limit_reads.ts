import { sha256Hex } from "../crypto/sha256_hex.ts";
import type { AppContext } from "./app.ts";
import { clientAddress } from "./client_address.ts";
import { tooManyPerMinute } from "./too_many_per_minute.ts";

/** How often one thing may be read. */
export interface ReadLimit {
  /** What is being counted. */
  what: string;
  /** Per minute. An address may be an office, so it gets more than a single visitor. */
  perAddress: number;
  /** Per minute, of one visitor's token. */
  perVisitor?: number;
}

/**
 * Counts a read of a visitor, before anything is looked up for it. Each process counts by itself and in memory: a query to
 * count would cost as much as the read. A request with `access_key` and no token is an operator's and counts against that
 * key instead. Throws `rate_limit_exceeded`.
 */
export function limitReads(c: AppContext, { what, perAddress, perVisitor }: ReadLimit): void {
  const { perMinute } = c.var.services;
  const address = clientAddress(c);
  const token = c.req.header("Authorization");
  const limits = [
    ...(address ? [{ subject: `${what}:address:${address}`, limit: perAddress }] : []),
    ...(token && perVisitor ? [{ subject: `${what}:${sha256Hex(token)}`, limit: perVisitor }] : []),
  ];
  for (const { subject, limit } of limits) {
    const waitS = perMinute.count(subject, limit);
    if (waitS > 0) throw tooManyPerMinute(c, "Too many requests", { limit, waitS });
  }
}
