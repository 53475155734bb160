import { insertDraft } from "../../_shared/db/campaigns/drafts.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { showRow } from "../../_shared/http/app/show_row.ts";
import { uuidv7 } from "../../_shared/values/uuid.ts";
import { addCompanyRoute } from "../company_route.ts";
import {
  checkPlan,
  draftExample,
  draftFields,
  draftFieldsExample,
  draftSchema,
  MAX_DRAFT_BYTES,
} from "./draft.ts";

/** `POST …/campaigns/drafts` keeps a campaign that is being written. */
export function registerPostDrafts(app: App): void {
  addCompanyRoute(app, {
    method: "post",
    path: "/campaigns/drafts",
    operationId: "createDraft",
    summary: "Keep the draft of a campaign",
    body: { schema: draftFields, example: draftFieldsExample, maxBytes: MAX_DRAFT_BYTES },
    response: { schema: draftSchema, example: draftExample },
  }, async (_, { caller, sql, body: { name, plan } }) => {
    checkPlan(caller, plan);
    const { companyId, by } = caller;
    return showRow(draftSchema, await insertDraft(sql, { companyId, draftId: uuidv7(), name, plan }, by));
  });
}
