import { z } from "@hono/zod-openapi";
import { badFormat } from "../../_shared/errors.ts";
import { setWebhook } from "../../_shared/events_out/webhook_settings.ts";
import { checkEndpointUrl } from "../../_shared/gateways/http1/addresses.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { checkedSealer } from "../checked_sealer.ts";
import { addCompanyRoute } from "../company_route.ts";
import { eventTypesSchema, SECRET, WEBHOOK_SETTINGS } from "./webhook.ts";

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
        url: z.string().max(2000, "at most 2000 characters").openapi({
          description: "It begins with https://",
        }),
        event_types: eventTypesSchema.default(null).openapi({ description: "Null or left out: all of them" }),
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
        secret: z.string().nullable().openapi({ description: "Null after the first time: it stays" }),
      }).openapi("SetWebhook"),
      example: { url: "https://example.com/events", event_types: ["notification.failed"], secret: SECRET },
    },
    document: WEBHOOK_SETTINGS,
  }, async (c, { caller: { companyId, by }, sql, body }) => {
    const services = c.get("services");
    const url = checkEndpointUrl(body.url, { allowPrivate: services.env.OUTBOUND_ALLOW_PRIVATE_WEBHOOKS });
    if (typeof url === "string") {
      throw badFormat(
        "url",
        body.url,
        "a public URL that begins with https://, without user name or password",
      );
    }
    const eventTypes = body.event_types && [...new Set(body.event_types)];
    const store = { sql, sealer: await checkedSealer({ ...services, sql }) };
    const secret = await setWebhook(store, { companyId, url, eventTypes }, by);
    return { url: url.href, event_types: eventTypes, secret };
  });
}
