import { z } from "@hono/zod-openapi";
import { numberSchema, userIdSchema } from "../../_shared/contacts/address.ts";
import { readPerson } from "../../_shared/contacts/ledger_entries.ts";
import {
  readNotificationsOfPerson,
  type SentNotification,
} from "../../_shared/db/contacts/contact_history.ts";
import { readContactMessages } from "../../_shared/db/contacts/contact_messages.ts";
import { badFormat } from "../../_shared/errors.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { nextOf, nextSchema, pageFields, timeOf } from "../../_shared/http/app/list_page.ts";
import { describeMessage, messageSchema } from "../../_shared/http/contacts/message_schema.ts";
import { addMemberRoute } from "../member_route.ts";
import { channelSchema } from "../../_shared/http/app/shared_schemas.ts";

const querySchema = z.object({
  number: numberSchema.optional(),
  user_id: userIdSchema.optional(),
  ...pageFields,
});
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

/** `GET …/contacts/notifications` and `…/messages` list what a person was sent, wrote and was replied. */
export function registerGetHistory(app: App): void {
  addMemberRoute(app, {
    method: "get",
    path: "/contacts/notifications",
    operationId: "listPersonNotifications",
    summary: "List what a person was sent",
    description: "Across campaigns, under every known address of the person, newest first.",
    role: "viewer",
    query: querySchema,
    response: {
      schema: z.object({ notifications: z.array(notificationSchema), next: nextSchema })
        .openapi("PersonNotifications"),
      example: { notifications: [], next: null },
    },
  }, async (c, { member: { companyId }, query: { after, limit, ...person } }) => {
    const { sql } = c.get("services");
    const rows = await readNotificationsOfPerson(sql, { ...readPerson(person), companyId, after, limit });
    return { notifications: rows.map(describeNotification), next: nextOf(rows, limit) };
  });

  addMemberRoute(app, {
    method: "get",
    path: "/contacts/messages",
    operationId: "listPersonMessages",
    summary: "List what a person wrote and was replied",
    role: "viewer",
    query: querySchema,
    response: {
      schema: z.object({ messages: z.array(messageSchema), next: nextSchema }).openapi("PersonMessages"),
      example: { messages: [], next: null },
    },
  }, async (c, { member: { companyId }, query: { after, limit, ...person } }) => {
    const { number, user_id } = readPerson(person);
    const rows = await readContactMessages(c.get("services").sql, {
      ...{ companyId, after, limit },
      number: number ?? undefined,
      userId: user_id ?? undefined,
    });
    if (rows === null) throw badFormat("after", after, "the `next` of the page before");
    return { messages: rows.map(describeMessage), next: nextOf(rows, limit) };
  });
}

function describeNotification({ id, ...row }: SentNotification): z.input<typeof notificationSchema> {
  return {
    notification_id: id,
    ...row,
    created_at: timeOf(row.created_at)!,
    sent_at: timeOf(row.sent_at),
    delivered_at: timeOf(row.delivered_at),
    read_at: timeOf(row.read_at),
    replied_at: timeOf(row.replied_at),
    failed_at: timeOf(row.failed_at),
    skipped_at: timeOf(row.skipped_at),
  };
}
