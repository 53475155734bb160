import { z } from "@hono/zod-openapi";
import { deleteCannedReply } from "../../_shared/db/contacts/canned_replies.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { addCompanyRoute } from "../company_route.ts";
import { CANNED_REPLY_EXAMPLE, cannedReplyParams, noCannedReply } from "./canned_reply.ts";

/** `DELETE …/canned_replies/{canned_reply_id}` removes one. */
export function registerDeleteCannedReply(app: App): void {
  addCompanyRoute(app, {
    method: "delete",
    path: "/canned_replies/{canned_reply_id}",
    operationId: "removeCannedReply",
    summary: "Remove a canned reply",
    params: cannedReplyParams,
    response: {
      schema: z.object({ canned_reply_id: z.guid(), removed: z.literal(true) }).openapi("RemovedCannedReply"),
      example: { canned_reply_id: CANNED_REPLY_EXAMPLE.canned_reply_id, removed: true },
    },
  }, async (c, { caller: { companyId, by }, params: { canned_reply_id: id } }) => {
    if (!await deleteCannedReply(c.get("services").sql, { companyId, id }, by)) throw noCannedReply();
    return { canned_reply_id: id, removed: true as const };
  });
}
