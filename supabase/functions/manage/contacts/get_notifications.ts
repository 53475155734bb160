import { z } from "@hono/zod-openapi";
import { readPerson } from "../../_shared/contacts/ledger_entries.ts";
import { readNotificationsOfPerson } from "../../_shared/db/contacts/contact_history.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { nextOf, nextSchema } from "../../_shared/http/app/list_page.ts";
import { addMemberRoute } from "../member_route.ts";
import { channelSchema } from "../../_shared/http/app/shared_schemas.ts";
import { showRow } from "../../_shared/http/app/show_row.ts";
import { personPageQuery } from "./person_query.ts";

const time = z.iso.datetime().nullable();

const notificationSchema = z.object({
  notification_id: z.guid(),
  campaign_id: z.guid(),
  campaign_name: z.string(),
  channel: channelSchema,
  notification_type: z.string(),
  template_name: z.string().nullable(),
  number: z.string().nullable(),
  user_id: z.string().nullable(),
  status: z.string(),
  attempts: z.number().int().min(0),
  created_at: z.iso.datetime(),
  sent_at: time,
  delivered_at: time,
  read_at: time,
  replied_at: time,
  failed_at: time,
  skipped_at: time,
  code: z.string().nullable(),
  reason: z.string().nullable().openapi({ description: "Why it failed or was skipped, for people" }),
}).openapi("PersonNotification");

/** `GET …/contacts/notifications` lists what a person was sent. */
export function registerGetContactNotifications(app: App): void {
  addMemberRoute(app, {
    method: "get",
    path: "/contacts/notifications",
    operationId: "listPersonNotifications",
    summary: "List what a person was sent",
    description: "Across campaigns, under every known address of the person, newest first.",
    role: "viewer",
    query: personPageQuery,
    response: {
      schema: z.object({ notifications: z.array(notificationSchema), next: nextSchema })
        .openapi("PersonNotifications"),
      example: { notifications: [], next: null },
    },
  }, async (c, { member: { companyId }, query: { after, limit, ...person } }) => {
    const { sql } = c.get("services");
    const rows = await readNotificationsOfPerson(sql, { ...readPerson(person), companyId, after, limit });
    return {
      notifications: rows.map(({ id, ...row }) =>
        showRow(notificationSchema, { ...row, notification_id: id })
      ),
      next: nextOf(rows, limit),
    };
  });
}
