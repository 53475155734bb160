import { z } from "@hono/zod-openapi";
import type { App } from "../../_shared/http/app/context.ts";
import { WEBHOOK_EVENTS } from "../../_shared/http/company/webhook_events.ts";
import { sampleOf } from "../../_shared/http/company/webhook_samples.ts";
import { addCompanyRoute } from "../company_route.ts";

const catalogueSchema = z.object({
  events: z.array(
    z.object({
      type: z.string(),
      summary: z.string(),
      data: z.record(z.string(), z.unknown()).openapi({ description: "Made up, as a test sends it" }),
    }).openapi("EventKind"),
  ),
}).openapi("EventCatalogue");

/** `GET …/webhooks/events` lists the events that a webhook may get. */
export function registerGetEventCatalogue(app: App): void {
  addCompanyRoute(app, {
    method: "get",
    path: "/webhooks/events",
    operationId: "listEventTypes",
    summary: "List the events that a webhook may get",
    description: "Those of the document's `webhooks` section. A test sends any of them.",
    response: {
      schema: catalogueSchema,
      example: {
        events: [{
          type: "contact.opted_in",
          summary: "An opt-out was lifted",
          data: { number: "34600111222" },
        }],
      },
    },
  }, (_, { caller: { companyId } }) =>
    Promise.resolve({
      events: WEBHOOK_EVENTS.map(({ type, summary }) => ({
        type,
        summary,
        data: sampleOf(type, companyId).data,
      })),
    }));
}
