import { z } from "@hono/zod-openapi";

/**
 * Returns a schema that takes null as well. In the API document `schema.nullable()` would make the component of a named
 * schema nullable wherever it is used.
 */
export function orNull<Schema extends z.ZodType>(schema: Schema) {
  return z.union([schema, z.null()]);
}
