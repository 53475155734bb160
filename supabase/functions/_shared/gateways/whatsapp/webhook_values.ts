import { z } from "zod";

const MAX_TEXT_LENGTH = 1024;

/** Text that Postgres accepts in columns and in JSON: no NUL, no half of a surrogate pair. */
export const text = z.string().max(MAX_TEXT_LENGTH).refine((value) =>
  !value.includes("\0") && value.isWellFormed()
);

/** Text of any content, or undefined where it is missing or not fit to be stored. */
export const optionalText = text.nullish().catch(undefined);

/** One of the platform's keywords, in upper case. */
export const keyword = text.min(1).transform((value) => value.toUpperCase());

/** Seconds since 1970; the platform writes them as a number or as digits. */
export const unixTime = z.union([z.string().regex(/^\d{1,11}$/).transform(Number), z.int()]);

/** Returns a time as ISO 8601, or `now` for an impossible one: before 2009, or more than a day ahead. */
export function isoTime(unixSeconds: number | undefined, now: Date): string {
  const at = (unixSeconds ?? 0) * 1000;
  const possible = at >= Date.UTC(2009, 0) && at <= now.getTime() + 24 * 60 * 60 * 1000;
  return new Date(possible ? at : now).toISOString();
}
