import { type Sealer, senderTokenOf } from "./seal.ts";

/** A sender with its token as the database keeps it; `tokenSealed` is null when it has none. */
export interface TokenOwner {
  companyId: string;
  senderId: string;
  tokenSealed: string | null;
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
  { companyId, senderId, tokenSealed }: TokenOwner,
  fallback?: string,
): Promise<OpenedToken> {
  if (tokenSealed === null) {
    return fallback === undefined ? { kind: "missing" } : { kind: "opened", token: fallback };
  }
  try {
    return { kind: "opened", token: await sealer.open(tokenSealed, senderTokenOf(companyId, senderId)) };
  } catch (error) {
    return { kind: "unreadable", reason: (error as Error).message };
  }
}
