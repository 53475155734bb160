import { z } from "@hono/zod-openapi";
import { requireSenders } from "../../_shared/access/company_keys.ts";
import { createEndpoint, MAX_FURTHER_WEBHOOKS } from "../../_shared/events_out/webhook_settings.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { showRow } from "../../_shared/http/app/show_row.ts";
import { checkedSealer } from "../checked_sealer.ts";
import { addCompanyRoute } from "../company_route.ts";
import {
  furtherWebhookBody,
  furtherWebhookExample,
  furtherWebhookRequest,
  furtherWebhookSchema,
} from "./further_webhook.ts";
import { requireEndpointUrl, SECRET } from "./webhook.ts";

const createdSchema = furtherWebhookSchema.extend({
  secret: z.string().openapi({ description: "It signs events; no response shows it again", example: SECRET }),
}).openapi("CreatedFurtherWebhook");

/** `POST …/webhooks/further` adds a webhook beside the company's own. */
export function registerPostFurtherWebhook(app: App): void {
  addCompanyRoute(app, {
    method: "post",
    path: "/webhooks/further",
    operationId: "createFurtherWebhook",
    summary: "Add a webhook beside the company's own",
    description:
      `The response alone shows its secret. A company has at most ${MAX_FURTHER_WEBHOOKS} of them.`,
    body: { schema: furtherWebhookBody, example: furtherWebhookRequest },
    response: { schema: createdSchema, example: { ...furtherWebhookExample, secret: SECRET } },
  }, async (c, { caller: { companyId, by }, body }) => {
    const services = c.get("services");
    const url = requireEndpointUrl(body.url, services.env).href;
    const store = { sql: services.sql, sealer: await checkedSealer(services) };
    const { secret, row } = await createEndpoint(
      store,
      { companyId, ...body, url },
      by,
      (sql) => requireSenders(sql, companyId, body.sender_ids),
    );
    return { ...showRow(furtherWebhookSchema, row), secret };
  });
}
