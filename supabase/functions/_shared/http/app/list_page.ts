import { z } from "@hono/zod-openapi";
import { utcSeconds } from "../../scheduling/due_time.ts";

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1000;
const LIMIT_FORMAT = `a whole number from 1 to ${MAX_LIMIT}`;

/** The parameters of every list. */
export const pageFields = {
  after: z.guid({ error: "the `next` of the page before" }).optional().openapi({
    description: "The `next` of the page before",
  }),
  limit: z.string().regex(/^[1-9]\d{0,3}$/, LIMIT_FORMAT).transform(Number)
    .refine((limit) => limit <= MAX_LIMIT, LIMIT_FORMAT).default(DEFAULT_LIMIT)
    .openapi({ type: "integer", description: `${LIMIT_FORMAT}; ${DEFAULT_LIMIT} if left out` }),
};

/** `next` in the response of a list. */
export const nextSchema = z.guid().nullable().openapi({
  description: "Give it as `after` to read on; null at the end",
});

/** The `next` of a page: the id of its last row, or null where no row follows. */
export function nextOf(rows: { id: string }[], limit: number): string | null {
  return rows.length < limit ? null : rows.at(-1)!.id;
}

/** A time as the API returns it. */
export function timeOf(moment: Date | null): string | null {
  return moment && utcSeconds(moment);
}
