import { z } from "@hono/zod-openapi";
import { readSenderPage } from "../../_shared/db/senders.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { nextSchema, pageFields } from "../../_shared/http/app/list_page.ts";
import { addMemberRoute } from "../member_route.ts";
import { describeSender, senderExample, senderSchema } from "./sender_schema.ts";
import { channelSchema } from "../../_shared/http/app/shared_schemas.ts";

/** `GET …/senders` lists the numbers of a company, newest first. */
export function registerGetSenders(app: App): void {
  addMemberRoute(app, {
    method: "get",
    path: "/senders",
    operationId: "listSenders",
    summary: "List senders",
    role: "viewer",
    query: z.object({
      channel: channelSchema.optional(),
      status: z.enum(["active", "stopped"], { error: "active or stopped" }).optional(),
      ...pageFields,
    }),
    response: {
      schema: z.object({ senders: z.array(senderSchema), next: nextSchema }).openapi("Senders"),
      example: { senders: [senderExample], next: null },
    },
  }, async (c, { member: { companyId }, query }) => {
    const rows = await readSenderPage(c.get("services").sql, { companyId, ...query });
    return {
      senders: rows.map(describeSender),
      next: rows.length < query.limit ? null : rows.at(-1)!.senderId,
    };
  });
}
