import { readCompanySettings } from "../../_shared/db/companies.ts";
import { readContactRules } from "../../_shared/db/contact_rules.ts";
import { readSendingRules } from "../../_shared/db/sending_rules.ts";
import { AppError } from "../../_shared/errors.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { addMemberRoute } from "../member_route.ts";
import { describeSettings, settingsExample, settingsSchema } from "./company_settings.ts";
import { contactRulesExample, contactRulesSchema, describeContactRules } from "./contact_rules.ts";
import { describeSendingRules, sendingRulesExample, sendingRulesSchema } from "./sending_rules.ts";

const responseSchema = settingsSchema.extend({
  contact_rules: contactRulesSchema,
  ...sendingRulesSchema.shape,
}).openapi("AllSettings");

/** `GET …/settings` shows all settings of a company. */
export function registerGetSettings(app: App): void {
  addMemberRoute(app, {
    method: "get",
    path: "/settings",
    operationId: "getSettings",
    summary: "Show all settings",
    role: "viewer",
    response: {
      schema: responseSchema,
      example: { ...settingsExample, contact_rules: contactRulesExample, ...sendingRulesExample },
    },
  }, async (c, { member: { companyId } }) => {
    const { sql } = c.get("services");
    const [settings, contactRules, sendingRules] = await Promise.all([
      readCompanySettings(sql, companyId),
      readContactRules(sql, companyId),
      readSendingRules(sql, companyId),
    ]);
    if (!settings || !sendingRules) throw new AppError("not_found", "Company not found");
    return {
      ...describeSettings(settings),
      contact_rules: describeContactRules(contactRules),
      ...describeSendingRules(sendingRules),
    };
  });
}
