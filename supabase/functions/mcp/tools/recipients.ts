import { z } from "@hono/zod-openapi";
import { numberSchema, userIdSchema } from "../../_shared/contacts/address.ts";
import { readPerson } from "../../_shared/contacts/ledger_entries.ts";
import { readPersonRecipients } from "../../_shared/db/campaigns/recipients.ts";
import { describePersonRecipient } from "../../_shared/campaigns/recipients.ts";
import { nextOf, nextSchema } from "../../_shared/http/app/list_page.ts";
import { personRecipientSchema, statusSchema } from "../../_shared/http/recipient_schema.ts";
import { defineTool, pageArguments, READS } from "../tool.ts";

export const findRecipient = defineTool({
  name: "find_recipient",
  title: "Find what was sent to a person",
  description:
    "Lists every message and call to a person in all campaigns, the newest first, with its state and why it " +
    "failed. Takes `number` or `user_id`.",
  hints: READS,
  effect: "reads",
  role: "viewer",
  permission: "contacts",
  input: z.strictObject({
    number: numberSchema.optional(),
    user_id: userIdSchema.optional(),
    status: statusSchema.optional().openapi({ description: "Only what is in this state" }),
    ...pageArguments,
  }),
  output: z.object({ notifications: z.array(personRecipientSchema), next: nextSchema }),
  async run({ services: { sql }, caller: { companyId }, args: { number, user_id, ...page } }) {
    const rows = await readPersonRecipients(sql, { ...page, ...readPerson({ number, user_id }), companyId });
    return { notifications: rows.map(describePersonRecipient), next: nextOf(rows, page.limit) };
  },
});
