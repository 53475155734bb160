const MIB = 1024 * 1024;

/** For callers who have not shown who they are. The largest body of theirs, a voice platform's transcript, has 8 MiB. */
const STRANGERS_BYTES = 16 * MIB;
/** One stranger cannot take what all strangers share. */
const STRANGER_BYTES = 8 * MIB;
/** For callers with a good key, and for platforms whose signature was right before. */
const KNOWN_BYTES = 32 * MIB;
/** Of all callers together. */
export const MAX_BODY_BYTES_AT_ONCE = STRANGERS_BYTES + KNOWN_BYTES;

/** The bytes of request bodies that are in memory. */
export interface BodyMemory {
  /**
   * Takes room for `bytes` more.
   *
   * @param address of a stranger; null for a caller who is known
   * @returns a function that gives the room back, or null when there is none
   */
  take(bytes: number, address: string | undefined | null): (() => void) | null;
}

/**
 * Makes the counter of one process. Strangers and known callers have room of their own, so that no stranger keeps a known
 * caller out.
 */
export function createBodyMemory(): BodyMemory {
  const taken = new Map<string, number>();

  function takeFrom(shares: [share: string, limit: number][], bytes: number): (() => void) | null {
    const used = (share: string) => taken.get(share) ?? 0;
    if (shares.some(([share, limit]) => used(share) + bytes > limit)) return null;
    for (const [share] of shares) taken.set(share, used(share) + bytes);
    return () => {
      for (const [share] of shares) {
        if (used(share) === bytes) taken.delete(share);
        else taken.set(share, used(share) - bytes);
      }
    };
  }

  return {
    take: (bytes, address) =>
      address === null
        ? takeFrom([["known", KNOWN_BYTES]], bytes)
        : takeFrom([["strangers", STRANGERS_BYTES], [`stranger ${address}`, STRANGER_BYTES]], bytes),
  };
}
