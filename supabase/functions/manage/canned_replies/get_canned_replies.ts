import { z } from "@hono/zod-openapi";
import { readCannedReplies } from "../../_shared/db/contacts/canned_replies.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { listFields, nextOf, pageFields } from "../../_shared/http/app/list_page.ts";
import { showRow } from "../../_shared/http/app/show_row.ts";
import { addCompanyRoute } from "../company_route.ts";
import { CANNED_REPLY_EXAMPLE, cannedReplySchema } from "./canned_reply.ts";

/** `GET …/canned_replies` lists the texts that members choose from. */
export function registerGetCannedReplies(app: App): void {
  addCompanyRoute(app, {
    method: "get",
    path: "/canned_replies",
    operationId: "listCannedReplies",
    summary: "List canned replies",
    query: z.object(pageFields),
    response: {
      schema: z.object({ canned_replies: z.array(cannedReplySchema), ...listFields })
        .openapi("CannedReplies"),
      example: { canned_replies: [CANNED_REPLY_EXAMPLE], next: null },
    },
  }, async (c, { caller: { companyId }, query }) => {
    const rows = await readCannedReplies(c.get("services").sql, { ...query, companyId });
    return {
      canned_replies: rows.map((row) => showRow(cannedReplySchema, row)),
      next: nextOf(rows, query.limit, "canned_reply_id"),
    };
  });
}
