import { z } from "zod";

/** Returns the schema of a field that may be null, missing, or of an unexpected form: then it counts as not sent. */
export function lenient<Schema extends z.ZodType>(schema: Schema) {
  return schema.nullish().catch(undefined);
}

const MAX_TEXT_LENGTH = 10_000;

/** Text of the platform as far as Postgres accepts it, in columns and in JSON: no NUL, no half of a surrogate pair. */
export const keptText = z.string().transform((value) =>
  value.replaceAll("\0", "").slice(0, MAX_TEXT_LENGTH).toWellFormed()
);

/** Returns a time, or `now` for one that is impossible: before 2020, or more than a day ahead. */
export function possibleTime(unixSeconds: number, now: Date): Date {
  const at = unixSeconds * 1000;
  return at >= Date.UTC(2020, 0) && at <= now.getTime() + 24 * 60 * 60 * 1000 ? new Date(at) : now;
}

/** The dynamic variable that carries our reference, besides `user_id`. */
export const REFERENCE_VARIABLE = "outbound_reference";

/** The data that was sent with the start of a call, as far as the platform returns it. */
export const echoSchema = z.looseObject({
  user_id: lenient(keptText),
  conversation_initiation_client_data: lenient(z.looseObject({
    user_id: lenient(keptText),
    dynamic_variables: lenient(z.looseObject({ [REFERENCE_VARIABLE]: lenient(keptText) })),
  })),
});

/** Returns our reference from the data that the platform returns. */
export function referenceIn(echo: z.infer<typeof echoSchema>): string | null {
  const sent = echo.conversation_initiation_client_data;
  return sent?.dynamic_variables?.[REFERENCE_VARIABLE] as string | undefined ?? echo.user_id ??
    sent?.user_id ??
    null;
}
