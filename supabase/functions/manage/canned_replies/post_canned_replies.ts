import { insertCannedReply } from "../../_shared/db/contacts/canned_replies.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { showRow } from "../../_shared/http/app/show_row.ts";
import { uuidv7 } from "../../_shared/values/uuid.ts";
import { addCompanyRoute } from "../company_route.ts";
import { CANNED_REPLY_EXAMPLE, cannedReplyBody, cannedReplySchema, shortcutTaken } from "./canned_reply.ts";

/** `POST …/canned_replies` adds one. */
export function registerPostCannedReplies(app: App): void {
  const { shortcut, text } = CANNED_REPLY_EXAMPLE;
  addCompanyRoute(app, {
    method: "post",
    path: "/canned_replies",
    operationId: "addCannedReply",
    summary: "Add a canned reply",
    body: { schema: cannedReplyBody, example: { shortcut, text } },
    response: { schema: cannedReplySchema, example: CANNED_REPLY_EXAMPLE },
  }, async (c, { caller: { companyId, by }, body }) => {
    const row = await insertCannedReply(c.get("services").sql, { companyId, id: uuidv7(), ...body }, by);
    if (row === undefined) throw shortcutTaken(body.shortcut);
    return showRow(cannedReplySchema, row);
  });
}
