import { z } from "@hono/zod-openapi";
import { rotateWebhookSecret } from "../../_shared/events_out/webhook_settings.ts";
import type { App, AppContext } from "../../_shared/http/app/context.ts";
import type { CompanyCaller } from "../../_shared/http/guards/company_caller.ts";
import { checkedSealer } from "../checked_sealer.ts";
import { noWebhook } from "../../_shared/http/company/replay_deliveries.ts";
import { addCompanyRoute } from "../company_route.ts";
import { SECRET } from "./webhook.ts";
import { showRow } from "../../_shared/http/app/show_row.ts";

export const rotatedSchema = z.object({ secret: z.string(), old_secret_until: z.iso.datetime() }).openapi(
  "RotatedWebhookSecret",
);

export const rotatedExample: z.input<typeof rotatedSchema> = {
  secret: SECRET,
  old_secret_until: "2026-12-02T09:00:00Z",
};

/** Replaces an endpoint's secret. Throws `not_found`. */
export async function rotate(
  c: AppContext,
  { companyId, by }: CompanyCaller,
  endpointId?: string,
): Promise<z.input<typeof rotatedSchema>> {
  const services = c.get("services");
  const store = { sql: services.sql, sealer: await checkedSealer(services) };
  const rotated = await rotateWebhookSecret(store, { companyId, endpointId }, by);
  if (rotated === undefined) throw noWebhook(endpointId);
  return showRow(rotatedSchema, rotated);
}

/** `POST …/webhooks/rotate` makes a new secret. */
export function registerPostWebhookRotate(app: App): void {
  addCompanyRoute(app, {
    method: "post",
    path: "/webhooks/rotate",
    operationId: "rotateWebhookSecret",
    summary: "Replace the webhook's secret",
    description: "For 24 hours the old one signs too.",
    response: { schema: rotatedSchema, example: rotatedExample },
  }, (c, { caller }) => rotate(c, caller));
}
