import { z } from "@hono/zod-openapi";
import { copyCampaign } from "../../_shared/campaigns/copy_campaign.ts";
import { insertDraft, readCampaignOrigin } from "../../_shared/db/campaigns/drafts.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { showRow } from "../../_shared/http/app/show_row.ts";
import { requireCampaign } from "../../_shared/http/guards/require_campaign.ts";
import { uuidv7 } from "../../_shared/values/uuid.ts";
import { addCompanyRoute } from "../company_route.ts";
import { COPIED_DRAFT, draftSchema } from "../drafts/draft.ts";

/** `POST …/campaigns/{campaign_id}/copy` makes a draft of a campaign. */
export function registerPostCopy(app: App): void {
  addCompanyRoute(app, {
    method: "post",
    path: "/campaigns/{campaign_id}/copy",
    operationId: "copyCampaign",
    summary: "Make a draft of a campaign",
    description:
      "With the template or agent, the sender and the timing, and of a campaign from a file its values and columns. " +
      "`not_copied` names what is not stored with a campaign.",
    params: z.object({ campaign_id: z.guid() }),
    response: COPIED_DRAFT,
  }, async (c, { caller, params: { campaign_id: campaignId } }) => {
    const { sql } = c.get("services");
    const ids = await requireCampaign(sql, caller, campaignId);
    const { companyId, by } = caller;
    const { name, plan, notCopied } = copyCampaign(await readCampaignOrigin(sql, ids), { keepsTime: false });
    const draft = await insertDraft(
      sql,
      { companyId, draftId: uuidv7(), name, plan, copyOf: campaignId },
      by,
    );
    return { ...showRow(draftSchema, draft), not_copied: notCopied };
  });
}
