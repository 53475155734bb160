import { z } from "@hono/zod-openapi";
import { stopWebhook } from "../../_shared/db/webhooks/webhooks.ts";
import { badFormat } from "../../_shared/errors.ts";
import { rotateWebhookSecret, setWebhook } from "../../_shared/events_out/webhook_settings.ts";
import { checkEndpointUrl } from "../../_shared/gateways/http1/addresses.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { timeOf } from "../../_shared/http/app/list_page.ts";
import { checkedSealer } from "../checked_sealer.ts";
import { noWebhook } from "../../_shared/http/company/replay_deliveries.ts";
import { addMemberRoute } from "../member_route.ts";
import { eventTypesSchema, WEBHOOK_SETTINGS } from "./webhook.ts";

const SECRET = "whsec_…";

/** `PUT …/webhooks` sets URL and events, `POST …/webhooks/rotate` makes a new secret, `POST …/webhooks/off` ends it. */
export function registerChangeWebhook(app: App): void {
  registerPut(app);
  registerRotate(app);
  registerOff(app);
}

function registerPut(app: App): void {
  addMemberRoute(app, {
    method: "put",
    path: "/webhooks",
    operationId: "setWebhook",
    summary: "Set the webhook's URL and events",
    description:
      "Also switches it on again. The first time, the response holds the secret that signs events.",
    role: "owner",
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
  }, async (c, { member: { companyId, by }, sql, body }) => {
    const services = c.get("services");
    const url = checkEndpointUrl(body.url, { allowPrivate: services.env.ALLOW_PRIVATE_WEBHOOKS });
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

function registerRotate(app: App): void {
  addMemberRoute(app, {
    method: "post",
    path: "/webhooks/rotate",
    operationId: "rotateWebhookSecret",
    summary: "Replace the webhook's secret",
    description: "For 24 hours the old one signs too.",
    role: "owner",
    response: {
      schema: z.object({ secret: z.string(), old_secret_until: z.iso.datetime() }).openapi(
        "RotatedWebhookSecret",
      ),
      example: { secret: SECRET, old_secret_until: "2026-12-02T09:00:00Z" },
    },
  }, async (c, { member: { companyId, by } }) => {
    const services = c.get("services");
    const sealer = await checkedSealer(services);
    const rotated = await rotateWebhookSecret({ sql: services.sql, sealer }, companyId, by);
    if (rotated === undefined) throw noWebhook();
    return { secret: rotated.secret, old_secret_until: timeOf(rotated.oldSecretUntil)! };
  });
}

function registerOff(app: App): void {
  addMemberRoute(app, {
    method: "post",
    path: "/webhooks/off",
    operationId: "stopWebhook",
    summary: "Switch the webhook off",
    description:
      "Pending deliveries end. Setting the webhook switches it on again, and a replay brings them back.",
    role: "operator",
    effect: "stops",
    response: {
      schema: z.object({ is_active: z.literal(false) }).openapi("StoppedWebhook"),
      example: { is_active: false },
    },
  }, async (c, { member: { companyId, by } }) => {
    if (!await stopWebhook(c.get("services").sql, companyId, by)) throw noWebhook();
    return { is_active: false as const };
  });
}
