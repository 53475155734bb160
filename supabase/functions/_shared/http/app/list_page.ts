import { z } from "@hono/zod-openapi";

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1000;

/** The parameters of a list of which a page has at most `max` rows. */
export function pageFieldsUpTo(max: number) {
  const format = `a whole number from 1 to ${max}`;
  return {
    after: z.guid({ error: "the `next` of the page before" }).optional().openapi({
      description: "The `next` of the page before",
    }),
    limit: z.string().regex(/^[1-9]\d{0,3}$/, format).transform(Number)
      .refine((limit) => limit <= max, format).default(DEFAULT_LIMIT)
      .openapi({
        type: "integer",
        minimum: 1,
        maximum: max,
        description: `${format}; ${DEFAULT_LIMIT} if left out`,
        example: 50,
      }),
  };
}

/** The parameters of every list whose rows are cheap. */
export const pageFields = pageFieldsUpTo(MAX_LIMIT);

/** `next` in the response of a list. */
export const nextSchema = z.guid().nullable().openapi({
  description: "Give it as `after` to read on; null at the end",
});

/** Marks what a test company has; the response of another has no such field. */
export const testField = {
  test: z.literal(true).optional().openapi({
    description: "Set where the company is a test company: nothing of it has reached a person",
  }),
};

/** The fields of a list beside its rows. */
export const listFields = { next: nextSchema, ...testField };

/** The `next` of a page: the id of its last row, which the rows hold as `key`, or null where no row follows. */
export function nextOf<Key extends string = "id">(
  rows: Record<NoInfer<Key>, string>[],
  limit: number,
  key: Key = "id" as Key,
): string | null {
  return rows.length < limit ? null : rows.at(-1)![key];
}

/** The filters of a list, once they are checked. */
export type Filters<Shape extends z.ZodRawShape> = z.infer<z.ZodObject<Shape>>;

/** The filters of a list whose rows are found by their ids, with the page that is asked for. */
export type Page<Shape extends z.ZodRawShape> = Filters<Shape> & {
  /** The last row of the page before. */
  after?: string | undefined;
  limit: number;
};
