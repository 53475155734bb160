import { z } from "@hono/zod-openapi";
import type { StoredSendingRules } from "../../_shared/db/queue/sending_rules.ts";
import { badFormat } from "../../_shared/errors.ts";
import {
  frequencyCapsSchema,
  readFrequencyCaps,
  readSendingHours,
  sendingHoursSchema,
} from "../../_shared/scheduling/sending_rules.ts";

const UNREADABLE =
  "Null when another version of this service wrote rules that this one cannot read: messages wait then";

export const sendingRulesSchema = z.object({
  sending_hours: sendingHoursSchema.nullable().openapi({ description: UNREADABLE }),
  frequency_caps: frequencyCapsSchema.nullable().openapi({ description: UNREADABLE }),
}).openapi("SendingRules");

export const HOURS = [{
  channel: "any",
  category: "marketing",
  zone: "recipient",
  preset: "recipient",
}] as const;

export const CAPS = [{ channel: "any", max: 3, days: 7 }] as const;

export const sendingRulesExample: z.input<typeof sendingRulesSchema> = {
  sending_hours: [...HOURS],
  frequency_caps: [...CAPS],
};

/** Returns the rules that this version can read; null for others. */
export function showSendingRules(stored: StoredSendingRules): z.input<typeof sendingRulesSchema> {
  return {
    sending_hours: readSendingHours(stored.sending_hours),
    frequency_caps: readFrequencyCaps(stored.frequency_caps),
  };
}

export function refuseRepeated(field: string, scopes: string[]): void {
  const repeated = scopes.findIndex((scope, index) => scopes.indexOf(scope) < index);
  if (repeated !== -1) {
    throw badFormat(`${field}[${repeated}]`, scopes[repeated], "a scope that no other entry has");
  }
}
