import { OpenAPIHono, z } from "@hono/zod-openapi";
import { SECTIONS } from "../../supabase/functions/_shared/http/app/api_route.ts";
import { SECURITY_SCHEMES } from "../../supabase/functions/_shared/http/app/security.ts";
import {
  WEBHOOK_EVENTS,
  webhookEventSchema,
} from "../../supabase/functions/_shared/http/company/webhook_events.ts";
import { ROOT } from "../../supabase/functions/_shared/values/urls.ts";
import type { App } from "../../supabase/functions/_shared/http/app/context.ts";
import { VERSION } from "../../supabase/functions/_shared/values/version.ts";
import { describeParameters } from "./describe_parameters.ts";
import { foldNull } from "./fold_null.ts";
import { widenFlags } from "./widen_flags.ts";

export type ApiDocument = ReturnType<OpenAPIHono["getOpenAPI31Document"]>;

/** Its `identifier` is of OpenAPI 3.1, and in no type of the library. */
const LICENSE = { name: "MIT", identifier: "MIT" };

/** Describes the routes of `apps` in OpenAPI 3.1, made from the very schemas they check with. */
export function describeApi(apps: App[]): ApiDocument {
  const all = new OpenAPIHono();
  for (const documented of apps) all.route("/", documented);
  for (const [name, scheme] of Object.entries(SECURITY_SCHEMES)) {
    all.openAPIRegistry.registerComponent("securitySchemes", name, scheme);
  }
  describeWebhooks(all);
  return widenFlags(foldNull(describeParameters(all.getOpenAPI31Document({
    openapi: "3.1.0",
    info: {
      title: "outbound",
      version: VERSION,
      license: LICENSE,
      description: "Log in, take a company's API key, send templated chat notifications and follow them.",
    },
    servers: [{ url: ROOT }],
    tags: Object.entries(SECTIONS).map(([name, description]) => ({ name, description })),
  }))));
}

/** Describes the requests to a company's webhook, and their union for receivers. */
function describeWebhooks({ openAPIRegistry }: OpenAPIHono): void {
  const headers = z.object({
    "webhook-id": z.string().openapi({ description: "The same with every attempt" }),
    "webhook-timestamp": z.string().openapi({ description: "Unix seconds" }),
    "webhook-signature": z.string().openapi({ description: "See docs/webhooks.md" }),
  });
  for (const { type, name, summary, schema } of WEBHOOK_EVENTS) {
    openAPIRegistry.registerWebhook({
      method: "post",
      path: type,
      operationId: `receive${name}`,
      summary,
      tags: ["Webhooks"],
      security: [],
      request: { headers, body: { required: true, content: { "application/json": { schema } } } },
      responses: {
        "2XX": { description: "Received" },
        410: { description: "The endpoint is gone: the webhook is switched off" },
      },
    });
  }
  openAPIRegistry.register("WebhookEvent", webhookEventSchema);
}
