import { z } from "@hono/zod-openapi";
import { changeSendingRules } from "../../_shared/db/queue/sending_rules.ts";
import { badFormat } from "../../_shared/errors.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { findUnknownCalendar } from "../../_shared/scheduling/holidays.ts";
import { type HoursRule, sendingHoursSchema } from "../../_shared/scheduling/sending_rules.ts";
import { addCompanyRoute } from "../company_route.ts";
import { COMPANY_SETTINGS } from "./stored_settings.ts";
import {
  HOURS,
  refuseRepeated,
  sendingRulesExample,
  sendingRulesSchema,
  showSendingRules,
} from "./sending_rules.ts";

/** `PUT …/settings/sending_hours` replaces the rules about when to send. */
export function registerPutSendingHours(app: App): void {
  addCompanyRoute(app, {
    method: "put",
    path: "/settings/sending_hours",
    operationId: "setSendingHours",
    summary: "Replace the sending hours",
    description: "At most one rule per channel and category.",
    body: {
      schema: z.strictObject({ sending_hours: sendingHoursSchema }).openapi("SendingHours"),
      example: { sending_hours: [...HOURS] },
    },
    response: { schema: sendingRulesSchema, example: sendingRulesExample },
    document: COMPANY_SETTINGS,
  }, async (_, { caller: { companyId, by }, sql, body: { sending_hours } }) => {
    refuseRepeated("sending_hours", sending_hours.map(({ channel, category }) => `${channel} ${category}`));
    await refuseUnknownCalendars(sending_hours);
    const change = () => ({ sending_hours });
    return showSendingRules(await changeSendingRules(sql, { companyId, change }, by));
  });
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
