import { readKeyState } from "../db/send_context.ts";
import { missingPermission, requireGoodKey } from "./access_key.ts";
import type { AppContext } from "./app.ts";

/**
 * Reads the request, but tells what is wrong with it only to the holder of a good key (with `permission`, where the
 * route asks for one): the contract's order of checks is key, permission, body.
 */
export async function afterKey<Result>(
  c: AppContext,
  { keyHash, permission }: { keyHash: string; permission?: string },
  read: () => Result | Promise<Result>,
): Promise<Result> {
  try {
    return await read();
  } catch (error) {
    const key = await readKeyState(c.var.services.sql, keyHash, 0);
    requireGoodKey(c, key);
    if (permission && !key.permissions.includes(permission)) throw missingPermission(permission);
    throw error;
  }
}
