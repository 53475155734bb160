const MIB = 1024 * 1024;

/** A larger body is one of a webhook, a template or many contacts. */
const SMALL_BYTES = 64 * 1024;

/** What callers share, and what one address may take of it. */
const SHARES = {
  /** Callers who have shown who they are. */
  known: { all: 32 * MIB, perAddress: 32 * MIB },
  /** Strangers where little is sent, such as log-ins: large bodies must not keep them out. */
  small: { all: 8 * MIB, perAddress: MIB },
  /** The largest, a voice platform's transcript, takes 8 MiB. */
  large: { all: 24 * MIB, perAddress: 8 * MIB },
};

/** Of all callers together. */
export const MAX_BODY_BYTES_AT_ONCE = SHARES.known.all + SHARES.small.all + SHARES.large.all;

/** Whose body it is, and how much it may become. */
export interface BodyOwner {
  isKnown: boolean;
  /** Asked for only where it counts. */
  address: () => string | undefined;
  maxBytes: number;
}

/** The bytes of request bodies that are in memory. */
export interface BodyMemory {
  /** Takes room for `bytes` more. Returns a function that gives the room back, or null when there is none. */
  take(bytes: number, owner: BodyOwner): (() => void) | null;
}

/**
 * Makes the counter of one process. Known callers, small and large bodies of strangers have room of their own, so that no
 * stranger keeps a known caller out, and no large body a small one.
 */
export function createBodyMemory(): BodyMemory {
  const taken = new Map<string, number>();
  const used = (subject: string) => taken.get(subject) ?? 0;
  return {
    take(bytes, { isKnown, address, maxBytes }) {
      const share = isKnown ? "known" : maxBytes <= SMALL_BYTES ? "small" : "large";
      const { all, perAddress } = SHARES[share];
      const subjects = isKnown ? [share] : [share, `${share} ${address()}`];
      if (used(share) + bytes > all || used(subjects.at(-1)!) + bytes > perAddress) return null;
      for (const subject of subjects) taken.set(subject, used(subject) + bytes);
      return () => {
        for (const subject of subjects) {
          if (used(subject) === bytes) taken.delete(subject);
          else taken.set(subject, used(subject) - bytes);
        }
      };
    },
  };
}
