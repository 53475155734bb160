import { z } from "@hono/zod-openapi";
import type { App } from "../../_shared/http/app/context.ts";
import { pageFieldsUpTo } from "../../_shared/http/app/list_page.ts";
import { listTimeline, timelineSchema } from "../../_shared/http/company/timeline.ts";
import { addCompanyRoute } from "../company_route.ts";
import { contactParams } from "./contact_document.ts";

const MAX_ENTRIES = 200;

/** `GET …/contacts/{contact_id}/timeline` shows all that happened with a person. */
export function registerGetTimeline(app: App): void {
  addCompanyRoute(
    app,
    {
      method: "get",
      path: "/contacts/{contact_id}/timeline",
      operationId: "getContactTimeline",
      summary: "Show all that happened with a person",
      description:
        "Messages and calls with their tries, replies, chats on the website, opt-outs, consents, and who changed " +
        "the contact: under every known address, the newest first, and from the archive too.",
      params: contactParams,
      query: z.object({
        ...pageFieldsUpTo(MAX_ENTRIES),
        after: z.string().max(100).optional().openapi({
          description: "The `next` of the page before",
          example: "2026-12-01T09:00:00.123456Z_0192f8b0-2222-4333-8444-555566667777",
        }),
      }),
      response: {
        schema: timelineSchema,
        example: {
          entries: [{
            id: "0192f8b0-2222-4333-8444-555566667777",
            at: "2026-12-01T09:00:00.123456Z",
            kind: "consent",
            consent: {
              ...{ address: "34600111222", channel: "whatsapp", category: "marketing", status: "granted" },
              ...{ method: "website", detail: null, source: "api" },
            },
          }],
          next: null,
          unreadable_archive_files: [],
        },
      },
    },
    async (c, { caller: { companyId }, params: { contact_id: contactId }, query }) =>
      await listTimeline(c.get("services"), { companyId, contactId }, query),
  );
}
