import type { z } from "zod";

/** A field that may be null, missing, or of a form nobody expected: then it is as if the platform had not sent it. */
export function lenient<Schema extends z.ZodType>(schema: Schema) {
  return schema.nullish().catch(undefined);
}
