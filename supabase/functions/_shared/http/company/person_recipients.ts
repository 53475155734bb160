import { z } from "@hono/zod-openapi";
import { describePersonRecipient } from "../../campaigns/recipients.ts";
import type { Sql } from "../../db/driver/connect.ts";
import { type PersonQuery, readPersonRecipients } from "../../db/campaigns/recipients.ts";
import { nextOf, nextSchema } from "../app/list_page.ts";
import { recipientSchema } from "../recipient_schema.ts";
import { channelSchema } from "../app/shared_schemas.ts";

/** One message to a person, or one call, with what became of it. */
export const personRecipientSchema = recipientSchema.extend({
  campaign_id: z.uuid(),
  campaign_name: z.string(),
  channel: channelSchema,
}).openapi("PersonRecipient");

/** The fields of a page of them. */
export const personPageFields = { recipients: z.array(personRecipientSchema), next: nextSchema };

/** Returns a page of what was sent to a person, under every known address, in all campaigns, the newest first. */
export async function listPersonRecipients(
  sql: Sql,
  query: PersonQuery,
): Promise<{ recipients: z.input<typeof personRecipientSchema>[]; next: string | null }> {
  const rows = await readPersonRecipients(sql, query);
  return { recipients: rows.map(describePersonRecipient), next: nextOf(rows, query.limit) };
}
