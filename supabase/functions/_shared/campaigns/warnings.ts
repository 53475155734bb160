import { z } from "@hono/zod-openapi";

/**
 * The kinds of probable mistakes in a request that is carried out, and, from `sender_stopped` on, what keeps it from
 * leaving at once or at all. docs/campaigns.md says what to do.
 */
export const WARNING_CODES = [
  "no_consent",
  "unknown_field",
  "duplicate_recipient",
  "notification_type_differs",
  "no_webhook",
  "full_url",
  "no_country_code",
  "new_country",
  "sender_stopped",
  "campaign_paused",
  "platform_unreachable",
  "sending_hours",
  "rules_unreadable",
  "marketing_cooldown",
  "frequency_cap",
  "call_gap",
  "sender_limit",
  "sender_quality",
] as const;

/** Something about a request that is carried out: it is probably a mistake, or makes messages wait. */
export const warningSchema = z.object({
  index: z.number().int().min(0).optional().openapi({
    description: "The index of the contact in the request, from 0; left out if it is about the whole request",
  }),
  code: z.enum(WARNING_CODES),
  message: z.string(),
  field: z.string().optional().openapi({ description: "The field that is probably wrong" }),
  contacts: z.number().int().min(1).optional().openapi({
    description: "How many contacts wait for this reason",
  }),
  until: z.iso.datetime().optional().openapi({
    description:
      "When the first of them leaves, or its sender is tried next; left out where that is not known",
  }),
}).openapi("Warning");

export type Warning = z.infer<typeof warningSchema>;

const MAX_SHOWN = 20;

/** The fields of a response that show its warnings. */
export const warningFields = {
  warnings: z.array(warningSchema).optional().openapi({
    description:
      `What is probably a mistake, or makes messages wait: the first ${MAX_SHOWN}; left out where there is none. They ` +
      "come unasked, because a client does not ask about what it does not expect",
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
