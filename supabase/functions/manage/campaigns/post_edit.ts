import { z } from "@hono/zod-openapi";
import { copyCampaign } from "../../_shared/campaigns/copy_campaign.ts";
import { cancelCampaign, holdScheduled } from "../../_shared/db/campaigns/campaign_control.ts";
import { insertDraft, readCampaignOrigin } from "../../_shared/db/campaigns/drafts.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { showRow } from "../../_shared/http/app/show_row.ts";
import { requireCampaign } from "../../_shared/http/guards/require_campaign.ts";
import { addCompanyRoute } from "../company_route.ts";
import { COPIED_DRAFT, draftSchema } from "../drafts/draft.ts";
import { notScheduled } from "./not_scheduled.ts";

/** `POST …/campaigns/{campaign_id}/edit` takes a scheduled campaign back as a draft. */
export function registerPostEdit(app: App): void {
  addCompanyRoute(app, {
    method: "post",
    path: "/campaigns/{campaign_id}/edit",
    operationId: "editCampaign",
    summary: "Take a scheduled campaign back as a draft",
    description:
      "Cancels it before anything of it has left, and makes a draft of it with its time; its quota comes back. Nothing " +
      "leaves until the draft is sent. A campaign that has started, or still takes contacts, is a 409 and goes on. " +
      "`not_copied` names what is not stored with a campaign.",
    params: z.object({ campaign_id: z.guid() }),
    response: COPIED_DRAFT,
    refusals: [409],
  }, async (c, { caller, params: { campaign_id: campaignId } }) => {
    const { sql, newWork } = c.get("services");
    const ids = await requireCampaign(sql, caller, campaignId);
    const { companyId, by } = caller;
    const { outcome, status } = await holdScheduled(sql, ids, by);
    if (outcome !== "scheduled") {
      newWork.notify();
      throw notScheduled(outcome, status);
    }
    // If the process dies between these steps, the campaign is left paused: nothing leaves, and nothing is lost.
    const { name, plan, notCopied } = copyCampaign(await readCampaignOrigin(sql, ids), { keepsTime: true });
    // It has the campaign's id: two members at once, and one who asks again, get one draft.
    const draft = await insertDraft(
      sql,
      { companyId, draftId: campaignId, name, plan, copyOf: campaignId },
      by,
    );
    await cancelCampaign(sql, ids, by);
    return { ...showRow(draftSchema, draft), not_copied: notCopied };
  });
}
