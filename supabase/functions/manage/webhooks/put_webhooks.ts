import { z } from "@hono/zod-openapi";
import { requireSenders } from "../../_shared/access/company_keys.ts";
import { setWebhook } from "../../_shared/events_out/webhook_settings.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { channelSchema } from "../../_shared/http/app/shared_schemas.ts";
import { checkedSealer } from "../checked_sealer.ts";
import { addCompanyRoute } from "../company_route.ts";
import {
  eventTypesSchema,
  filterFields,
  requireEndpointUrl,
  SECRET,
  urlSchema,
  WEBHOOK_SETTINGS,
} from "./webhook.ts";

/** `PUT …/webhooks` sets URL and events. */
export function registerPutWebhooks(app: App): void {
  addCompanyRoute(app, {
    method: "put",
    path: "/webhooks",
    operationId: "setWebhook",
    summary: "Set the webhook's URL and events",
    description:
      "Also switches it on again. The first time, the response holds the secret that signs events.",
    body: {
      schema: z.strictObject({
        url: urlSchema,
        ...filterFields,
      }).openapi("WebhookChanges"),
      example: {
        url: "https://example.com/events",
        event_types: ["notification.failed", "message.received"],
      },
    },
    response: {
      schema: z.object({
        url: z.string(),
        event_types: eventTypesSchema,
        channels: z.array(channelSchema).nullable(),
        sender_ids: z.array(z.guid()).nullable(),
        secret: z.string().nullable().openapi({ description: "Null after the first time: it stays" }),
      }).openapi("SetWebhook"),
      example: {
        url: "https://example.com/events",
        event_types: ["notification.failed"],
        channels: null,
        sender_ids: null,
        secret: SECRET,
      },
    },
    document: WEBHOOK_SETTINGS,
  }, async (c, { caller: { companyId, by }, sql, body }) => {
    const services = c.get("services");
    const url = requireEndpointUrl(body.url, services.env);
    const { url: _, ...filters } = body;
    await requireSenders(sql, companyId, filters.sender_ids);
    const store = { sql, sealer: await checkedSealer({ ...services, sql }) };
    const secret = await setWebhook(store, { companyId, url, filters }, by);
    return { url: url.href, ...filters, secret };
  });
}
