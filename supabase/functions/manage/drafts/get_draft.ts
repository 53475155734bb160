import type { App } from "../../_shared/http/app/context.ts";
import { showRow } from "../../_shared/http/app/show_row.ts";
import { addCompanyRoute } from "../company_route.ts";
import { DRAFT, draftExample, draftParams, draftSchema, requireDraft } from "./draft.ts";

/** `GET …/campaigns/drafts/{draft_id}` shows a draft. */
export function registerGetDraft(app: App): void {
  addCompanyRoute(app, {
    method: "get",
    path: "/campaigns/drafts/{draft_id}",
    operationId: "getDraft",
    summary: "Show the draft of a campaign",
    params: draftParams,
    response: { schema: draftSchema, example: draftExample },
    document: DRAFT,
  }, async (_, { caller, sql, params: { draft_id: draftId } }) => {
    return showRow(draftSchema, await requireDraft(sql, caller, draftId));
  });
}
