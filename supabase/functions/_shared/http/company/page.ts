import type { z } from "@hono/zod-openapi";

/** The filters of a list, once they are checked. */
export type Filters<Shape extends z.ZodRawShape> = z.infer<z.ZodObject<Shape>>;

/** The filters of a list whose rows are found by their ids, with the page that is asked for. */
export type Page<Shape extends z.ZodRawShape> = Filters<Shape> & {
  /** The last row of the page before. */
  after?: string | undefined;
  limit: number;
};
