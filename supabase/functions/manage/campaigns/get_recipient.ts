import { z } from "@hono/zod-openapi";
import { renderedSchema } from "../../_shared/campaigns/dry_run/dry_run_response.ts";
import { describeCampaignRecipient } from "../../_shared/campaigns/recipients.ts";
import { readRecipient } from "../../_shared/db/campaigns/recipients.ts";
import { readSentMessages, type SentMessage } from "../../_shared/db/campaigns/sent_messages.ts";
import { AppError } from "../../_shared/errors.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { requireMessages } from "../../_shared/http/guards/require_campaign.ts";
import { RECIPIENT_EXAMPLE, recipientSchema } from "../../_shared/http/recipient_schema.ts";
import { renderMessage, type SentComponent } from "../../_shared/templates/render_message.ts";
import { orNull } from "../../_shared/values/or_null.ts";
import { addCompanyRoute } from "../company_route.ts";

/** `GET …/campaigns/{campaign_id}/recipients/{notification_id}` shows a recipient with the message as they get it. */
export function registerGetRecipient(app: App): void {
  addCompanyRoute(app, {
    method: "get",
    path: "/campaigns/{campaign_id}/recipients/{notification_id}",
    operationId: "getCampaignRecipient",
    summary: "Show a recipient with their message",
    params: z.object({ campaign_id: z.guid(), notification_id: z.guid() }),
    response: {
      schema: recipientSchema.extend({
        rendered: orNull(renderedSchema).openapi({
          description:
            "As the recipient gets it. Null for calls, once it was erased, and without its template",
        }),
      }).openapi("RecipientDetails"),
      example: {
        ...RECIPIENT_EXAMPLE,
        rendered: {
          header: null,
          body: "Hello Ana, your order A-1001 has shipped.",
          footer: null,
          buttons: [],
        },
      },
    },
    refusals: [409],
  }, async (c, { caller, params: { campaign_id: campaignId, notification_id: notificationId } }) => {
    const { sql } = c.get("services");
    const ids = await requireMessages(sql, caller, campaignId);
    const { mayReadPeople: withNames } = caller;
    const recipient = await readRecipient(sql, { ...ids, notificationId, withNames });
    if (recipient === undefined) throw new AppError("not_found", "The campaign has no such recipient");
    const [sent] = await readSentMessages(sql, ids.companyId, [notificationId]);
    return { ...describeCampaignRecipient(recipient), rendered: sent ? rendered(sent) : null };
  });
}

function rendered({ message, components }: SentMessage) {
  if (components === null || !Array.isArray(message)) return null;
  return renderMessage({ components }, message as SentComponent[]);
}
