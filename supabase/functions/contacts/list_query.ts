import { z } from "@hono/zod-openapi";
import { isNumber } from "../_shared/address.ts";
import { channelSchema } from "../_shared/contacts/ledger_entries.ts";
import { numberSchema, userIdSchema } from "../_shared/contacts/address.ts";
import { utcSeconds } from "../_shared/scheduling/due_time.ts";

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1000;
const LIMIT_FORMAT = `a whole number from 1 to ${MAX_LIMIT}`;

/** The parameters of every list of the ledger. */
export const listQuery = z.object({
  access_key: z.string(),
  number: numberSchema.optional(),
  user_id: userIdSchema.optional(),
  channel: channelSchema.optional(),
  after: z.guid({ error: "the `next` of the page before" }).optional().openapi({
    description: "The `next` of the page before",
  }),
  limit: z.string().regex(/^[1-9]\d{0,3}$/, LIMIT_FORMAT).transform(Number)
    .refine((limit) => limit <= MAX_LIMIT, LIMIT_FORMAT).default(DEFAULT_LIMIT)
    .openapi({ type: "integer", description: `${LIMIT_FORMAT}; ${DEFAULT_LIMIT} if left out` }),
});

/** The `next` of a page: the id of its last row, or null where no row follows. */
export function nextOf(rows: { id: string }[], limit: number): string | null {
  return rows.length < limit ? null : rows.at(-1)!.id;
}

/** The field that an address is returned in. */
export function personOf(address: string): { number: string } | { user_id: string } {
  return isNumber(address) ? { number: address } : { user_id: address };
}

/** A time as the API returns it. */
export function timeOf(moment: Date | null): string | null {
  return moment && utcSeconds(moment);
}

/** `next` in a response. */
export const nextSchema = z.guid().nullable().openapi({
  description: "Give it as `after` to read on; null at the end",
});
