import { z } from "@hono/zod-openapi";

/** The kinds of probable mistakes in a request that is carried out. docs/campaigns.md says what to do. */
export const WARNING_CODES = [
  "no_consent",
  "unknown_field",
  "duplicate_recipient",
  "notification_type_differs",
  "full_url",
  "no_country_code",
  "new_country",
] as const;

/** Something about a request that is probably a mistake, although it is carried out. */
export const warningSchema = z.object({
  index: z.number().int().min(0).optional().openapi({
    description: "The place of the contact in the request, from 0; left out if it is about the whole request",
  }),
  code: z.enum(WARNING_CODES),
  message: z.string(),
  field: z.string().optional().openapi({ description: "The field that is probably wrong" }),
}).openapi("Warning");

export type Warning = z.infer<typeof warningSchema>;

const MAX_SHOWN = 20;

/** The fields of a response that show its warnings. */
export const warningFields = {
  warnings: z.array(warningSchema).optional().openapi({
    description: `What is probably a mistake: the first ${MAX_SHOWN}; left out where there is none`,
  }),
  more_warnings: z.number().int().min(1).optional().openapi({
    description: "How many warnings are left out of `warnings`; only there if any are",
  }),
};

/** Returns the fields of a response for its warnings; none where there is nothing to warn of. */
export function shownWarnings(warnings: Warning[]): { warnings?: Warning[]; more_warnings?: number } {
  if (warnings.length === 0) return {};
  return {
    warnings: warnings.slice(0, MAX_SHOWN),
    ...(warnings.length > MAX_SHOWN && { more_warnings: warnings.length - MAX_SHOWN }),
  };
}
