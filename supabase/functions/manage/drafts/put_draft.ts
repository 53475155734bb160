import { updateDraft } from "../../_shared/db/campaigns/drafts.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { showRow } from "../../_shared/http/app/show_row.ts";
import { addCompanyRoute } from "../company_route.ts";
import {
  checkPlan,
  DRAFT,
  draftExample,
  draftFields,
  draftFieldsExample,
  draftParams,
  draftSchema,
  MAX_DRAFT_BYTES,
  requireDraft,
} from "./draft.ts";

/** `PUT …/campaigns/drafts/{draft_id}` replaces a draft. */
export function registerPutDraft(app: App): void {
  addCompanyRoute(app, {
    method: "put",
    path: "/campaigns/drafts/{draft_id}",
    operationId: "changeDraft",
    summary: "Replace the draft of a campaign",
    params: draftParams,
    body: { schema: draftFields, example: draftFieldsExample, maxBytes: MAX_DRAFT_BYTES },
    response: { schema: draftSchema, example: draftExample },
    document: DRAFT,
  }, async (_, { caller, sql, params: { draft_id: draftId }, body: { name, plan } }) => {
    await requireDraft(sql, caller, draftId);
    checkPlan(caller, plan);
    const { companyId, by } = caller;
    return showRow(draftSchema, (await updateDraft(sql, { companyId, draftId, name, plan }, by))!);
  });
}
