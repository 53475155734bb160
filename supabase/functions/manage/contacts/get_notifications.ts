import { z } from "@hono/zod-openapi";
import { describePersonRecipient } from "../../_shared/campaigns/recipients.ts";
import { readPerson } from "../../_shared/contacts/ledger_entries.ts";
import { readPersonRecipients } from "../../_shared/db/campaigns/recipients.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { listFields, nextOf, pageFields } from "../../_shared/http/app/list_page.ts";
import {
  PERSON_RECIPIENT_EXAMPLE,
  personRecipientSchema,
  statusSchema,
} from "../../_shared/http/recipient_schema.ts";
import { addCompanyRoute } from "../company_route.ts";
import { personQuery } from "./person_query.ts";

/** `GET …/contacts/notifications` lists what a person was sent. */
export function registerGetContactNotifications(app: App): void {
  addCompanyRoute(app, {
    method: "get",
    path: "/contacts/notifications",
    operationId: "listPersonNotifications",
    summary: "List what a person was sent",
    description: "Across campaigns and channels, under every known address of the person, newest first.",
    query: personQuery.extend({
      campaign_id: z.guid({ error: "the inquiry_set_id of a campaign" }).optional(),
      status: statusSchema.optional(),
      ...pageFields,
    }),
    response: {
      schema: z.object({ notifications: z.array(personRecipientSchema), ...listFields })
        .openapi("PersonNotifications"),
      example: { notifications: [PERSON_RECIPIENT_EXAMPLE], next: null },
    },
  }, async (c, { caller: { companyId }, query }) => {
    const { number, user_id, campaign_id: campaignId, status, after, limit } = query;
    const person = readPerson({ number, user_id });
    const page = { ...person, companyId, campaignId, status, after, limit };
    const rows = await readPersonRecipients(c.get("services").sql, page);
    return { notifications: rows.map(describePersonRecipient), next: nextOf(rows, limit) };
  });
}
