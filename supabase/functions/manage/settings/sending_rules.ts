import { z } from "@hono/zod-openapi";
import { changeSendingRules, type StoredSendingRules } from "../../_shared/db/queue/sending_rules.ts";
import { badFormat } from "../../_shared/errors.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { findUnknownCalendar } from "../../_shared/scheduling/holidays.ts";
import {
  frequencyCapsSchema,
  type HoursRule,
  readFrequencyCaps,
  readSendingHours,
  sendingHoursSchema,
} from "../../_shared/scheduling/sending_rules.ts";
import { addMemberRoute } from "../member_route.ts";
import { COMPANY_SETTINGS } from "./stored_settings.ts";

const UNREADABLE =
  "Null when another version of this service wrote rules that this one cannot read: messages wait then";

export const sendingRulesSchema = z.object({
  sending_hours: sendingHoursSchema.nullable().openapi({ description: UNREADABLE }),
  frequency_caps: frequencyCapsSchema.nullable().openapi({ description: UNREADABLE }),
}).openapi("SendingRules");

const HOURS = [{ channel: "any", category: "marketing", zone: "recipient", preset: "recipient" }] as const;
const CAPS = [{ channel: "any", max: 3, days: 7 }] as const;

export const sendingRulesExample: z.input<typeof sendingRulesSchema> = {
  sending_hours: [...HOURS],
  frequency_caps: [...CAPS],
};

/** Returns rules in the API's names. */
export function describeSendingRules(stored: StoredSendingRules): z.input<typeof sendingRulesSchema> {
  return {
    sending_hours: readSendingHours(stored.sending_hours),
    frequency_caps: readFrequencyCaps(stored.frequency_caps),
  };
}

/** `PUT …/settings/sending_hours` and `…/frequency_caps` replace the rules about when and how often to send. */
export function registerPutSendingRules(app: App): void {
  addMemberRoute(app, {
    method: "put",
    path: "/settings/sending_hours",
    operationId: "setSendingHours",
    summary: "Replace the sending hours",
    description: "At most one rule per channel and category.",
    role: "operator",
    body: {
      schema: z.strictObject({ sending_hours: sendingHoursSchema }).openapi("SendingHours"),
      example: { sending_hours: [...HOURS] },
    },
    response: { schema: sendingRulesSchema, example: sendingRulesExample },
    document: COMPANY_SETTINGS,
  }, async (_, { member: { companyId, by }, sql, body: { sending_hours } }) => {
    refuseRepeated("sending_hours", sending_hours.map(({ channel, category }) => `${channel} ${category}`));
    await refuseUnknownCalendars(sending_hours);
    const change = () => ({ sending_hours });
    return describeSendingRules(await changeSendingRules(sql, { companyId, change }, by));
  });

  addMemberRoute(app, {
    method: "put",
    path: "/settings/frequency_caps",
    operationId: "setFrequencyCaps",
    summary: "Replace the caps on marketing messages per person",
    description: "At most one cap per channel and days.",
    role: "operator",
    body: {
      schema: z.strictObject({ frequency_caps: frequencyCapsSchema }).openapi("FrequencyCaps"),
      example: { frequency_caps: [...CAPS] },
    },
    response: { schema: sendingRulesSchema, example: sendingRulesExample },
    document: COMPANY_SETTINGS,
  }, async (_, { member: { companyId, by }, sql, body: { frequency_caps } }) => {
    refuseRepeated("frequency_caps", frequency_caps.map(({ channel, days }) => `${channel} ${days}`));
    const change = () => ({ frequency_caps });
    return describeSendingRules(await changeSendingRules(sql, { companyId, change }, by));
  });
}

function refuseRepeated(field: string, scopes: string[]): void {
  const repeated = scopes.findIndex((scope, index) => scopes.indexOf(scope) < index);
  if (repeated !== -1) {
    throw badFormat(`${field}[${repeated}]`, scopes[repeated], "a scope that no other entry has");
  }
}

async function refuseUnknownCalendars(rules: HoursRule[]): Promise<void> {
  for (const [index, rule] of rules.entries()) {
    const unknown = await findUnknownCalendar(rule);
    if (unknown === undefined) continue;
    throw badFormat(
      `sending_hours[${index}].holidays`,
      unknown,
      "countries with known holidays, such as ES or US-FL",
    );
  }
}
