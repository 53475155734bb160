import { z } from "zod";
import { keptText } from "./kept_text.ts";
import { lenient } from "./lenient.ts";
import { REFERENCE_VARIABLE } from "./reference_variable.ts";

/** What went along with a call when it was started, as far as the platform gives it back. */
export const echoSchema = z.looseObject({
  user_id: lenient(keptText),
  conversation_initiation_client_data: lenient(z.looseObject({
    user_id: lenient(keptText),
    dynamic_variables: lenient(z.looseObject({ [REFERENCE_VARIABLE]: lenient(keptText) })),
  })),
});

/** Our reference in what the platform gives back. */
export function referenceIn(echo: z.infer<typeof echoSchema>): string | null {
  const sent = echo.conversation_initiation_client_data;
  return sent?.dynamic_variables?.[REFERENCE_VARIABLE] as string | undefined ?? echo.user_id ??
    sent?.user_id ??
    null;
}
