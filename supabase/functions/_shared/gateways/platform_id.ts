import { z } from "zod";

/** Real ids have about a hundred characters. An index of Postgres takes 2704 bytes, three for each of these at most. */
const LONGEST_ID = 512;

/** A platform's id of a message or a call, as far as Postgres can keep it: not too long, no NUL, no half of a surrogate. */
export const platformIdSchema = z.string().min(1).max(LONGEST_ID)
  .refine((id) => !id.includes("\0") && id.isWellFormed());
