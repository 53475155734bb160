import { z } from "@hono/zod-openapi";
import { readSender } from "../../_shared/db/queue/senders.ts";
import { AppError } from "../../_shared/errors.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { senderExample, senderSchema, withCountry } from "../../_shared/http/company/senders.ts";
import { addCompanyRoute } from "../company_route.ts";
import { showRow } from "../../_shared/http/app/show_row.ts";

const count = z.number().int().min(0);

const detailsSchema = senderSchema.extend({
  waiting: count.openapi({
    description: "Notifications that have not left, those held or due later included",
  }),
  ongoing_calls: count.openapi({ description: "0 on WhatsApp" }),
}).openapi("SenderDetails");

/** `GET …/senders/{sender_id}` shows one sender with what it has to do. */
export function registerGetSender(app: App): void {
  addCompanyRoute(app, {
    method: "get",
    path: "/senders/{sender_id}",
    operationId: "getSender",
    summary: "Show a sender",
    params: z.object({ sender_id: z.guid() }),
    response: { schema: detailsSchema, example: { ...senderExample, waiting: 40, ongoing_calls: 0 } },
  }, async (c, { caller: { companyId }, params: { sender_id: senderId } }) => {
    const sender = await readSender(c.get("services").sql, { companyId, senderId });
    if (sender === undefined) throw new AppError("not_found", "Sender not found");
    return showRow(detailsSchema, withCountry(sender));
  });
}
