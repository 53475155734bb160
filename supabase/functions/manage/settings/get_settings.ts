import type { App } from "../../_shared/http/app/context.ts";
import { addCompanyRoute } from "../company_route.ts";
import { budgetExample, budgetSchema } from "./budget.ts";
import { settingsExample, settingsSchema } from "./company_settings.ts";
import { contactRulesExample, contactRulesSchema } from "./contact_rules.ts";
import { sendingRulesExample, sendingRulesSchema, showSendingRules } from "./sending_rules.ts";
import { COMPANY_SETTINGS, readStoredSettings } from "./stored_settings.ts";
import { showRow } from "../../_shared/http/app/show_row.ts";

const responseSchema = settingsSchema.extend({
  contact_rules: contactRulesSchema,
  ...sendingRulesSchema.shape,
  budget: budgetSchema,
}).openapi("AllSettings");

/** `GET …/settings` shows all settings of a company. */
export function registerGetSettings(app: App): void {
  addCompanyRoute(app, {
    method: "get",
    path: "/settings",
    operationId: "getSettings",
    summary: "Show all settings",
    response: {
      schema: responseSchema,
      example: {
        ...settingsExample,
        contact_rules: contactRulesExample,
        ...sendingRulesExample,
        budget: budgetExample,
      },
    },
    document: COMPANY_SETTINGS,
  }, async (_, { caller: { companyId }, sql }) => {
    const { settings, contactRules, sendingRules, budget } = await readStoredSettings(sql, companyId);
    return {
      ...showRow(settingsSchema, settings),
      contact_rules: contactRules,
      ...showSendingRules(sendingRules),
      budget,
    };
  });
}
