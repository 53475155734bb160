const MIB = 1024 * 1024;

/** A larger body is one of a webhook, a template or many contacts. */
const SMALL_BYTES = 64 * 1024;

/**
 * The memory that callers share, and the part of it for one caller: a company, key or user, or the address of a stranger.
 */
const SHARES = {
  known: { all: 32 * MIB, perOwner: 16 * MIB },
  /** Small bodies of unknown callers, such as logins: large bodies must not take their place. */
  small: { all: 8 * MIB, perOwner: MIB },
  /** The largest, a voice platform's transcript, takes 8 MiB. */
  large: { all: 24 * MIB, perOwner: 8 * MIB },
};

/** Of all callers together. */
export const MAX_BODY_BYTES_AT_ONCE = SHARES.known.all + SHARES.small.all + SHARES.large.all;

/** Whose body it is, and how large it may become. */
export interface BodyOwner {
  isKnown: boolean;
  /** The company, key or user of a known caller; the platforms have none, and may take all. */
  caller?: string | undefined;
  /** Called only where the address counts. */
  address: () => string | undefined;
  maxBytes: number;
}

/** The bytes of request bodies that are in memory. */
export interface BodyMemory {
  /** Takes `bytes` more. Returns a function that releases them, or null when there is not enough. */
  take(bytes: number, owner: BodyOwner): (() => void) | null;
}

/**
 * Creates the counter of one process. Known callers, and small and large bodies of unknown ones, have separate memory: no
 * unknown caller takes the place of a known one, no large body that of a small one, and no company, key or user that of
 * all others.
 */
export function createBodyMemory(): BodyMemory {
  const taken = new Map<string, number>();
  const used = (subject: string) => taken.get(subject) ?? 0;
  return {
    take(bytes, { isKnown, caller, address, maxBytes }) {
      const share = isKnown ? "known" : maxBytes <= SMALL_BYTES ? "small" : "large";
      const { all, perOwner } = SHARES[share];
      const owners = isKnown && caller === undefined ? [] : [`${share} ${isKnown ? caller : address()}`];
      const isFull = used(share) + bytes > all || owners.some((owner) => used(owner) + bytes > perOwner);
      if (isFull) return null;
      const subjects = [share, ...owners];
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
