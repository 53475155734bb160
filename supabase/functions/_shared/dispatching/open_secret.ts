import type { Services } from "../services.ts";

/** A sealed secret, opened: there is none, it cannot be read with this SECRETS_KEY, or here it is. */
export type OpenedSecret =
  | { kind: "missing" }
  | { kind: "unreadable"; reason: string }
  | { kind: "opened"; secret: string };

export async function openSecret(
  { sealer }: Pick<Services, "sealer">,
  sealed: string | null,
): Promise<OpenedSecret> {
  if (sealed === null) return { kind: "missing" };
  try {
    return { kind: "opened", secret: await sealer.open(sealed) };
  } catch {
    return { kind: "unreadable", reason: "The sender's token cannot be read with this SECRETS_KEY" };
  }
}
