import type { App } from "../../_shared/http/app/context.ts";
import {
  audienceCountRequestSchema,
  audienceCountSchema,
  showAudienceCount,
} from "../../_shared/http/company/audience_count.ts";
import { LIST_EXAMPLE } from "../../_shared/http/company/contact_lists.ts";
import { addCompanyRoute } from "../company_route.ts";

/** `POST …/lists/count` counts an audience before it is sent to. */
export function registerPostCount(app: App): void {
  addCompanyRoute(app, {
    method: "post",
    path: "/lists/count",
    operationId: "countAudience",
    summary: "Count the contacts of a list or a condition, and who of them can be reached",
    effect: "reads",
    body: {
      schema: audienceCountRequestSchema.openapi("AudienceCountRequest"),
      example: { condition: LIST_EXAMPLE.condition!, channel: "whatsapp", category: "marketing" },
    },
    response: {
      schema: audienceCountSchema,
      example: { count: 1250, reachable: 1190, opted_out: 40, without_address: 20 },
    },
  }, async (c, { caller: { companyId }, body }) => {
    const { sql, now } = c.get("services");
    return await showAudienceCount(sql, { companyId, now: now() }, body);
  });
}
