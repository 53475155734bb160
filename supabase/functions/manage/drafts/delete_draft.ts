import { z } from "@hono/zod-openapi";
import { deleteDraft } from "../../_shared/db/campaigns/drafts.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { addCompanyRoute } from "../company_route.ts";
import { DRAFT, draftExample, draftParams, requireDraft } from "./draft.ts";

/** `DELETE …/campaigns/drafts/{draft_id}` removes a draft. */
export function registerDeleteDraft(app: App): void {
  addCompanyRoute(app, {
    method: "delete",
    path: "/campaigns/drafts/{draft_id}",
    operationId: "removeDraft",
    summary: "Remove the draft of a campaign",
    params: draftParams,
    response: {
      schema: z.object({ draft_id: z.guid(), removed: z.literal(true) }).openapi("RemovedDraft"),
      example: { draft_id: draftExample.draft_id, removed: true },
    },
    document: DRAFT,
  }, async (_, { caller, sql, params: { draft_id: draftId } }) => {
    await requireDraft(sql, caller, draftId);
    await deleteDraft(sql, { companyId: caller.companyId, draftId }, caller.by);
    return { draft_id: draftId, removed: true as const };
  });
}
