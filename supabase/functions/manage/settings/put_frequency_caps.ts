import { z } from "@hono/zod-openapi";
import { changeSendingRules } from "../../_shared/db/queue/sending_rules.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { frequencyCapsSchema } from "../../_shared/scheduling/sending_rules.ts";
import { addCompanyRoute } from "../company_route.ts";
import { COMPANY_SETTINGS } from "./stored_settings.ts";
import {
  CAPS,
  refuseRepeated,
  sendingRulesExample,
  sendingRulesSchema,
  showSendingRules,
} from "./sending_rules.ts";

/** `PUT …/settings/frequency_caps` replaces the rules about how often to send. */
export function registerPutFrequencyCaps(app: App): void {
  addCompanyRoute(app, {
    method: "put",
    path: "/settings/frequency_caps",
    operationId: "setFrequencyCaps",
    summary: "Replace the caps on marketing messages per person",
    description: "At most one cap per channel and days.",
    body: {
      schema: z.strictObject({ frequency_caps: frequencyCapsSchema }).openapi("FrequencyCaps"),
      example: { frequency_caps: [...CAPS] },
    },
    response: { schema: sendingRulesSchema, example: sendingRulesExample },
    document: COMPANY_SETTINGS,
  }, async (_, { caller: { companyId, by }, sql, body: { frequency_caps } }) => {
    refuseRepeated("frequency_caps", frequency_caps.map(({ channel, days }) => `${channel} ${days}`));
    const change = () => ({ frequency_caps });
    return showSendingRules(await changeSendingRules(sql, { companyId, change }, by));
  });
}
