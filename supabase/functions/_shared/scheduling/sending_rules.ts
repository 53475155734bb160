import { z } from "@hono/zod-openapi";
import { CONTACT_CATEGORIES, CONTACT_CHANNELS } from "../db/contacts/contacts.ts";
import { PRESET_COUNTRIES } from "./hours_presets.ts";
import { weekWindowsSchema } from "./week_windows.ts";
import { orNull } from "../values/or_null.ts";

/** `ES`, or with a part of the country `US-FL`: countries by ISO 3166-1, parts as `date-holidays` names them. */
const HOLIDAY_CALENDAR = /^[A-Z]{2}(-[A-Z0-9]{1,3})?$/;

const MAX_RULES = 20;
const MAX_CALENDARS = 10;

const scope = { channel: z.enum(CONTACT_CHANNELS), category: z.enum(CONTACT_CATEGORIES) };

/** The recipient's own holidays, or those of countries and their parts. */
const holidaysSchema = z.union([
  z.literal("recipient"),
  z.array(z.string().regex(HOLIDAY_CALENDAR, "expected countries such as ES, or parts such as US-FL"))
    .min(1).max(MAX_CALENDARS),
]);

/** A rule with hours of its own. */
const ownHoursSchema = z.strictObject({
  ...scope,
  zone: z.enum(["recipient", "campaign"]),
  windows: weekWindowsSchema,
  holidays: orNull(holidaysSchema).default(null),
}).openapi("OwnSendingHours");

/** A rule with the hours of a country, or of each recipient's own country. */
const presetSchema = z.strictObject({
  ...scope,
  zone: z.enum(["recipient", "campaign"]).default("recipient"),
  preset: z.union([z.literal("recipient"), z.enum(PRESET_COUNTRIES)]),
}).openapi("PresetSendingHours");

/** The form of an entry of `contact_rules.sending_hours`. */
const hoursRuleSchema = z.union([presetSchema, ownHoursSchema]).openapi("SendingHoursRule");
export type HoursRule = z.infer<typeof hoursRuleSchema>;

/** The form of `contact_rules.sending_hours`. */
export const sendingHoursSchema = z.array(hoursRuleSchema).max(MAX_RULES);

/** Reads `contact_rules.sending_hours`; null when it has another form. */
export const readSendingHours = readerOf(sendingHoursSchema);

/** The form of an entry of `contact_rules.frequency_caps`: at most `max` marketing messages per person in `days` days. */
const frequencyCapSchema = z.strictObject({
  channel: z.enum(CONTACT_CHANNELS),
  max: z.int().min(1).max(1000),
  days: z.int().min(1).max(30),
}).openapi("FrequencyCap");
export type FrequencyCap = z.infer<typeof frequencyCapSchema>;

/** The form of `contact_rules.frequency_caps`. */
export const frequencyCapsSchema = z.array(frequencyCapSchema).max(10);

/** Reads `contact_rules.frequency_caps`; null when it has another form. */
export const readFrequencyCaps = readerOf(frequencyCapsSchema);

const MAX_KNOWN_RULES = 1000;

/**
 * Returns a function that reads stored rules. The same rules are the same array again: they are read for every
 * notification.
 */
function readerOf<Rules>(schema: z.ZodType<Rules>): (stored: unknown) => Rules | null {
  const known = new Map<string, Rules | null>();
  return (stored) => {
    const text = JSON.stringify(stored);
    let rules = known.get(text);
    if (rules === undefined) {
      rules = schema.safeParse(stored).data ?? null;
      if (known.size >= MAX_KNOWN_RULES) known.clear();
      known.set(text, rules);
    }
    return rules;
  };
}

/** The parts of a notification that decide which rules are about it. */
export interface RuleSubject {
  channel: "whatsapp" | "voice";
  isMarketing: boolean;
}

/** Returns whether a rule is about such a notification. */
export function appliesTo(
  rule: Pick<HoursRule, "channel" | "category">,
  { channel, isMarketing }: RuleSubject,
): boolean {
  return (rule.channel === "any" || rule.channel === channel) && (rule.category === "all" || isMarketing);
}
