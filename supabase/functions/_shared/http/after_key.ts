import { readKeyState } from "../db/send_context.ts";
import { requireGoodKey } from "./access_key.ts";
import type { AppContext } from "./app.ts";
import { declaredBytes } from "./read_bytes.ts";

/** A larger body, or one of unknown length, is read for the holder of a good key only. */
const MAX_STRANGERS_BYTES = 8 * 1024;

interface AskedKey {
  keyHash: string;
  /** What the route asks of the key. */
  permission?: string;
}

/**
 * Reads the request, but says what is wrong with it only to the holder of a good key (with `permission`, where the
 * route asks for one): the contract's order of checks is key, permission, body. A refused request counts against the
 * key's rate.
 */
export async function afterKey<Result>(
  c: AppContext,
  key: AskedKey,
  read: () => Result | Promise<Result>,
): Promise<Result> {
  if (!c.var.isKnown && mayBeLarge(c)) await checkKey(c, key, 0);
  try {
    return await read();
  } catch (error) {
    await checkKey(c, key, 1);
    throw error;
  }
}

function mayBeLarge(c: AppContext): boolean {
  const declared = declaredBytes(c);
  return declared === undefined ? c.req.raw.body !== null : declared > MAX_STRANGERS_BYTES;
}

async function checkKey(c: AppContext, { keyHash, permission }: AskedKey, cost: 0 | 1): Promise<void> {
  const key = await readKeyState(c.var.services.sql, keyHash, cost);
  requireGoodKey(c, key, permission);
}
