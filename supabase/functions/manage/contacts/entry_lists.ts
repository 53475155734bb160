import { z } from "@hono/zod-openapi";
import type { EntryError } from "../../_shared/contacts/ledger_entries.ts";

/** 1,000 entries with a detail of 1,000 characters each. */
export const MAX_BODY_BYTES = 2 * 1024 * 1024;

/** A caller speaks for the company, whether a member or one of its systems. */
export const SOURCE = "api";

const MAX_ENTRIES = 1000;
const LIST_FORMAT = `a list of 1 to ${MAX_ENTRIES} entries`;

/** A body with a list, whose entries are not checked yet. */
export function listSchema(field: string) {
  const list = z.array(z.unknown(), { error: LIST_FORMAT }).min(1, LIST_FORMAT).max(MAX_ENTRIES, LIST_FORMAT);
  return z.strictObject({ [field]: list });
}

/** The body that documents such a list. */
export function entriesSchema<Entry extends z.ZodType>(entry: Entry) {
  return z.array(entry).min(1).max(MAX_ENTRIES);
}

const count = z.number().int().min(0);

const errorSchema = z.object({
  index: count.openapi({ description: "Its index in the list, from 0" }),
  field: z.string(),
  reason: z.string(),
}).openapi("EntryError");

/** The counts of every response to a list. */
export const countsSchema = z.object({
  added: count.openapi({ description: "New ones" }),
  already: count.openapi({ description: "Recorded before, or twice in this request" }),
  invalid: count.openapi({ description: "Refused; `errors` says why" }),
  errors: z.array(errorSchema),
});

/** Counts what came of a list. */
export function countsOf(added: boolean[], errors: EntryError[]): z.infer<typeof countsSchema> {
  const isNew = added.filter(Boolean).length;
  return {
    added: isNew,
    already: added.length - isNew,
    invalid: errors.length,
    errors,
  };
}

/** For the API document. */
export const COUNTS_EXAMPLE: z.input<typeof countsSchema> = { added: 1, already: 0, invalid: 0, errors: [] };
