import { deleteMemberDraft } from "../../_shared/db/access/member_drafts.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { addCompanyRoute } from "../company_route.ts";
import { draftOf, myDraftParams, myDraftSchema } from "./my_draft.ts";

/** `DELETE …/my/drafts/{kind}/{key}` removes what the caller typed into a form: it was saved, or is not wanted. */
export function registerDeleteMyDraft(app: App): void {
  addCompanyRoute(app, {
    method: "delete",
    path: "/my/drafts/{kind}/{key}",
    operationId: "removeMyDraft",
    summary: "Remove what you typed and did not save",
    params: myDraftParams,
    response: { schema: myDraftSchema, example: { draft: null } },
  }, async (c, { caller, params }) => {
    await deleteMemberDraft(c.get("services").sql, draftOf(caller, params));
    return { draft: null };
  });
}
