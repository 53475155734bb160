import { z } from "@hono/zod-openapi";
import { checkFields } from "../../check_fields.ts";
import type { EntryError } from "../../contacts/ledger_entries.ts";

const MAX_ENTRIES = 1000;
const LIST_FORMAT = `a list of 1 to ${MAX_ENTRIES} entries`;

/** Returns the list in a body. Throws `validation_failed` when it is missing, empty or too long. */
export function listIn(body: Record<string, unknown>, field: string): unknown[] {
  return checkFields(listSchema(field), body)[field]!;
}

/** A body with such a list, whose entries are not checked yet. */
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
  index: count.openapi({ description: "Its place in the list, from 0" }),
  field: z.string(),
  reason: z.string(),
}).openapi("EntryError");

/** The counts of every response to a list. */
export const countsSchema = z.object({
  success: z.literal(true),
  added: count.openapi({ description: "New ones" }),
  already: count.openapi({ description: "Recorded before, or twice in this request" }),
  invalid: count.openapi({ description: "Refused; `errors` says why" }),
  errors: z.array(errorSchema),
});

/** Counts what came of a list. */
export function countsOf(added: boolean[], errors: EntryError[]): z.infer<typeof countsSchema> {
  const isNew = added.filter(Boolean).length;
  return {
    success: true,
    added: isNew,
    already: added.length - isNew,
    invalid: errors.length,
    errors,
  };
}
