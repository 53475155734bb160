import { readMemberDraft } from "../../_shared/db/access/member_drafts.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { showRow } from "../../_shared/http/app/show_row.ts";
import { addCompanyRoute } from "../company_route.ts";
import { draftOf, myDraftExample, myDraftParams, myDraftSchema } from "./my_draft.ts";

/** `GET …/my/drafts/{kind}/{key}` shows what the caller typed into a form and did not save. */
export function registerGetMyDraft(app: App): void {
  addCompanyRoute(app, {
    method: "get",
    path: "/my/drafts/{kind}/{key}",
    operationId: "getMyDraft",
    summary: "Show what you typed and did not save",
    params: myDraftParams,
    response: { schema: myDraftSchema, example: myDraftExample },
  }, async (c, { caller, params }) => {
    const draft = await readMemberDraft(c.get("services").sql, draftOf(caller, params));
    return showRow(myDraftSchema, { draft: draft ?? null });
  });
}
