import { type Sealer, senderTokenOf } from "./seal.ts";

/** A sender with its token as the database keeps it; `token_sealed` is null when it has none. */
export interface TokenOwner {
  company_id: string;
  sender_id: string;
  token_sealed: string | null;
}

/** A sender's token, or why there is none. */
export type OpenedToken =
  | { kind: "opened"; token: string }
  | { kind: "missing" }
  /** It is damaged, or sealed with a key that this process does not have. */
  | { kind: "unreadable"; reason: string };

/**
 * Opens the platform's token of a sender. Never throws.
 *
 * @param fallback is returned when the sender has no token
 */
export async function openToken(
  sealer: Sealer,
  { company_id, sender_id, token_sealed }: TokenOwner,
  fallback?: string,
): Promise<OpenedToken> {
  if (token_sealed === null) {
    return fallback === undefined ? { kind: "missing" } : { kind: "opened", token: fallback };
  }
  try {
    return { kind: "opened", token: await sealer.open(token_sealed, senderTokenOf(company_id, sender_id)) };
  } catch (error) {
    return { kind: "unreadable", reason: (error as Error).message };
  }
}
