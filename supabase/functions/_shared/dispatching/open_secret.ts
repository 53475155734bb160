import type { SecretOwner } from "../crypto/secret_owner.ts";
import type { Services } from "../services.ts";

/** A sealed secret, opened: there is none, it cannot be opened, or here it is. */
export type OpenedSecret =
  | { kind: "missing" }
  | { kind: "unreadable"; reason: string }
  | { kind: "opened"; secret: string };

/** Opens the token of a sender. */
export async function openSecret(
  { sealer }: Pick<Services, "sealer">,
  sealed: string | null,
  owner: SecretOwner,
): Promise<OpenedSecret> {
  if (sealed === null) return { kind: "missing" };
  try {
    return { kind: "opened", secret: await sealer.open(sealed, owner) };
  } catch (error) {
    return { kind: "unreadable", reason: `The sender's token cannot be opened: ${(error as Error).message}` };
  }
}
