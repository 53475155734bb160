import { z } from "@hono/zod-openapi";
import { readSenderChanges } from "../../_shared/db/campaigns/history.ts";
import { readSender } from "../../_shared/db/queue/senders.ts";
import { AppError } from "../../_shared/errors.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { listFields, nextOf, pageFields } from "../../_shared/http/app/list_page.ts";
import { showRow } from "../../_shared/http/app/show_row.ts";
import { addCompanyRoute } from "../company_route.ts";

const changeSchema = z.object({
  id: z.guid(),
  at: z.iso.datetime().openapi({ description: "By the platform's clock" }),
  quality: z.string().nullable().openapi({
    description: "The platform's rating from then on",
    example: "RED",
  }),
  messaging_limit: z.string().nullable().openapi({
    description: "People per day whom the business may write to first, in the platform's words",
    example: "TIER_2K",
  }),
}).openapi("SenderChange");

/** `GET …/senders/{sender_id}/history` lists how a sender's quality and limit changed, newest first. */
export function registerGetSenderHistory(app: App): void {
  addCompanyRoute(app, {
    method: "get",
    path: "/senders/{sender_id}/history",
    operationId: "listSenderChanges",
    summary: "List how a sender's quality and limit changed",
    description: "A row for each time that the platform changed one of them, kept for 13 months.",
    params: z.object({ sender_id: z.guid() }),
    query: z.object(pageFields),
    response: {
      schema: z.object({ changes: z.array(changeSchema), ...listFields }).openapi("SenderChanges"),
      example: {
        changes: [{
          id: "0192f8b0-1111-4222-8333-444455556666",
          at: "2026-12-01T09:00:00Z",
          quality: "RED",
          messaging_limit: "TIER_2K",
        }],
        next: null,
      },
    },
  }, async (c, { caller: { companyId }, params: { sender_id: senderId }, query }) => {
    const { sql } = c.get("services");
    if (await readSender(sql, { companyId, senderId }) === undefined) {
      throw new AppError("not_found", "Sender not found");
    }
    const rows = await readSenderChanges(sql, { companyId, senderId, ...query });
    return { changes: rows.map((row) => showRow(changeSchema, row)), next: nextOf(rows, query.limit) };
  });
}
