import type { KeyState } from "../_shared/db/queue/send_context.ts";
import { AppError } from "../_shared/errors.ts";
import type { AppContext } from "../_shared/http/app/context.ts";
import { bearerKey, presentKey, refuseFromMemory, useKey } from "../_shared/http/guards/access_key.ts";
import { requireSignedIn } from "../_shared/http/guards/require_member.ts";

/** The one whom an agent acts for: the holder of a company's access key, or a user. */
export type Agent =
  | { kind: "key"; keyHash: string; key: KeyState }
  | { kind: "user"; userId: string };

/**
 * Returns whom a request acts for, by its `Authorization: Bearer`. Counts a request of a key.
 *
 * Throws `unauthorized`, also for a key in the URL, and what `useKey` and `requireSignedIn` throw.
 */
export async function identifyAgent(c: AppContext): Promise<Agent> {
  if (c.req.query("access_key") !== undefined) {
    throw new AppError("unauthorized", "Send the key as Authorization: Bearer <key>: URLs end up in logs");
  }
  if (c.req.header("Authorization") === undefined) {
    throw new AppError(
      "unauthorized",
      "Send Authorization: Bearer with your company's access key or your access token",
    );
  }
  const key = bearerKey(c);
  if (key === undefined) return { kind: "user", userId: await requireSignedIn(c) };
  const keyHash = presentKey(c, key);
  refuseFromMemory(c, { keyHash });
  return { kind: "key", keyHash, key: await useKey(c, { keyHash }) };
}
