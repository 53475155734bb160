import { z } from "@hono/zod-openapi";

/** How the routes of a session are entered, for the API document. */
export const sessionSecurity = [{ sessionToken: [] }];

/** Named only to be sure that the token is this widget's. */
export const sessionQuery = { id_widget: z.uuid().optional() };

/** A JSON body in the API document. */
export function jsonBody(schema: z.ZodType) {
  return { required: true, content: { "application/json": { schema } } };
}
