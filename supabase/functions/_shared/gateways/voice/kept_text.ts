import { z } from "zod";

const LONGEST = 10_000;

/** Text of the platform's as far as Postgres takes it, in columns and in JSON: no NUL, no half of a surrogate pair. */
export const keptText = z.string().transform((value) =>
  value.replaceAll("\0", "").slice(0, LONGEST).toWellFormed()
);
