import { z } from "@hono/zod-openapi";

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1000;
const LIMIT_FORMAT = `a whole number from 1 to ${MAX_LIMIT}`;

/** The parameters of a list that is read page by page. */
export const pageQuery = {
  after: z.guid({ error: "the `next` of the page before" }).optional().openapi({
    description: "The `next` of the page before",
  }),
  limit: z.string().regex(/^[1-9]\d{0,3}$/, LIMIT_FORMAT).transform(Number)
    .refine((limit) => limit <= MAX_LIMIT, LIMIT_FORMAT).default(DEFAULT_LIMIT)
    .openapi({ type: "integer", description: `${LIMIT_FORMAT}; ${DEFAULT_LIMIT} if left out` }),
};

/** The `next` of a page: the id of its last row, or null where no row follows. */
export function nextOf(rows: { id: string }[], limit: number): string | null {
  return rows.length < limit ? null : rows.at(-1)!.id;
}

/** `next` in a response. */
export const nextSchema = z.guid().nullable().openapi({
  description: "Give it as `after` to read on; null at the end",
});
