import { z } from "@hono/zod-openapi";
import { foldWords } from "../../_shared/contacts/fold_words.ts";
import { isPlainText, WITHOUT_CONTROLS } from "../../_shared/values/control_characters.ts";
import { CONSENT_POLICIES } from "../../_shared/db/contacts/contact_rules.ts";

const MAX_DAYS = 2_147_483_647;
/** The platform reports about a message for less. */
export const MIN_ARCHIVE_DAYS = 30;
const ARCHIVE_DAYS = `a whole number of days from ${MIN_ARCHIVE_DAYS}, or null`;

export const words = z.array(
  z.string().max(100, "at most 100 characters").refine((word) => foldWords(word) !== "", "a word"),
)
  .max(100, "at most 100 words");

const days = z.int({ error: "a whole number of days, or null" }).min(1, "at least 1").max(MAX_DAYS).nullable()
  .openapi({ description: "Null: forever" });

export const contactRulesSchema = z.strictObject({
  consent_policy: z.enum(CONSENT_POLICIES, { error: CONSENT_POLICIES.join(", ") }).openapi({
    description: "What marketing needs: nothing, a warning, or a consent",
  }),
  opt_out_words: words.openapi({ description: "Besides those of each language" }),
  opt_in_words: words.openapi({ description: "Besides those of each language" }),
  use_default_words: z.boolean({ error: "true or false" }).openapi({
    description: "The words of each language",
  }),
  marketing_cooldown: z.boolean({ error: "true or false" }).openapi({
    description:
      "Whether marketing waits for 24 hours after the platform spared a person more of it (131049)",
  }),
  opt_out_confirmation: z.string().max(1024, "at most 1024 characters").refine(isPlainText, WITHOUT_CONTROLS)
    .nullable().openapi({
      description: "The reply to an opt-out. Null: in the language of the word; empty: none",
    }),
  opt_out_stops_calls: z.boolean({ error: "true or false" }).openapi({
    description:
      "Whether an opt-out that a person writes on WhatsApp stops calls too. Recorded opt-outs stay as they are",
  }),
  keep_notifications_days: days,
  keep_messages_days: days,
  keep_transcripts_days: days,
  archive_after_days: z.int({ error: ARCHIVE_DAYS }).min(MIN_ARCHIVE_DAYS, ARCHIVE_DAYS).max(
    MAX_DAYS,
    ARCHIVE_DAYS,
  )
    .nullable().openapi({
      description:
        "After how many days messages of campaigns that are over leave the database for files in the " +
        "media store. Null: never",
    }),
}).openapi("ContactRules");

export const contactRulesExample: z.input<typeof contactRulesSchema> = {
  consent_policy: "warn",
  opt_out_words: ["no mas"],
  opt_in_words: [],
  use_default_words: true,
  marketing_cooldown: false,
  opt_out_confirmation: null,
  opt_out_stops_calls: true,
  keep_notifications_days: 365,
  keep_messages_days: null,
  keep_transcripts_days: 90,
  archive_after_days: 180,
};
