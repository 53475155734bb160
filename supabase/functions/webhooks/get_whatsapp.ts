import { z } from "@hono/zod-openapi";
import { equalSecrets } from "../_shared/crypto/digests.ts";
import { AppError } from "../_shared/errors.ts";
import type { ApiRoute } from "../_shared/http/app/api_route.ts";
import { addRoute } from "../_shared/http/app/app.ts";
import type { App } from "../_shared/http/app/context.ts";
import { errorResponses } from "../_shared/http/app/error_responses.ts";

const route: ApiRoute = {
  method: "get",
  path: "/webhooks/whatsapp",
  operationId: "verifyWhatsappWebhook",
  summary: "Confirm the webhook address to the messaging platform",
  tags: ["Platform callbacks"],
  security: [{ whatsappVerifyToken: [] }],
  request: {
    query: z.object({
      "hub.mode": z.literal("subscribe"),
      "hub.verify_token": z.string().openapi({ example: "<WHATSAPP_VERIFY_TOKEN>" }),
      "hub.challenge": z.string().openapi({ example: "1158201444" }),
    }),
  },
  responses: {
    200: { description: "The challenge, as it came", content: { "text/plain": { schema: z.string() } } },
    ...errorResponses([403]),
  },
};

/** `GET /webhooks/whatsapp` returns the challenge to a caller with WHATSAPP_VERIFY_TOKEN; others get `forbidden`. */
export function registerGetWhatsapp(app: App): void {
  addRoute(app, route, (c) => {
    const expected = c.var.services.env.WHATSAPP_VERIFY_TOKEN;
    const given = c.req.query("hub.verify_token") ?? "";
    const subscribing = c.req.query("hub.mode") === "subscribe";
    if (!expected || !subscribing || !equalSecrets(given, expected)) {
      throw new AppError("forbidden", "The verify token does not match");
    }
    return Promise.resolve(c.text(c.req.query("hub.challenge") ?? ""));
  });
}
