import { updateCannedReply } from "../../_shared/db/contacts/canned_replies.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { showRow } from "../../_shared/http/app/show_row.ts";
import { addCompanyRoute } from "../company_route.ts";
import {
  CANNED_REPLY_EXAMPLE,
  cannedReplyBody,
  cannedReplyParams,
  cannedReplySchema,
  noCannedReply,
  shortcutTaken,
} from "./canned_reply.ts";

/** `PUT …/canned_replies/{canned_reply_id}` changes one. */
export function registerPutCannedReply(app: App): void {
  const { shortcut, text } = CANNED_REPLY_EXAMPLE;
  addCompanyRoute(app, {
    method: "put",
    path: "/canned_replies/{canned_reply_id}",
    operationId: "changeCannedReply",
    summary: "Change a canned reply",
    params: cannedReplyParams,
    body: { schema: cannedReplyBody, example: { shortcut, text } },
    response: { schema: cannedReplySchema, example: CANNED_REPLY_EXAMPLE },
  }, async (c, { caller: { companyId, by }, params: { canned_reply_id: id }, body }) => {
    const row = await updateCannedReply(c.get("services").sql, { companyId, id, ...body }, by);
    if (row === "taken") throw shortcutTaken(body.shortcut);
    if (row === undefined) throw noCannedReply();
    return showRow(cannedReplySchema, row);
  });
}
