import { z } from "zod";

/** Real ids have about a hundred characters. An index of Postgres takes 2704 bytes, three for each of these at most. */
const LONGEST_ID = 512;

/** The platform's id of a message, as far as Postgres can keep it: not too long, no NUL, no half of a surrogate pair. */
export const messageIdSchema = z.string().min(1).max(LONGEST_ID)
  .refine((id) => !id.includes("\0") && id.isWellFormed());
