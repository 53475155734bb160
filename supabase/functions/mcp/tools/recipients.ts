import { z } from "@hono/zod-openapi";
import { numberSchema, userIdSchema } from "../../_shared/contacts/address.ts";
import { readPerson } from "../../_shared/contacts/ledger_entries.ts";
import { listPersonRecipients, personPageFields } from "../../_shared/http/company/person_recipients.ts";
import { statusSchema } from "../../_shared/http/recipient_schema.ts";
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
  permission: "channel",
  input: z.strictObject({
    number: numberSchema.optional(),
    user_id: userIdSchema.optional(),
    status: statusSchema.optional().openapi({ description: "Only what is in this state" }),
    ...pageArguments,
  }),
  output: z.object(personPageFields),
  async run({ services: { sql }, caller: { companyId, channels }, args: { number, user_id, ...page } }) {
    const person = readPerson({ number, user_id });
    return await listPersonRecipients(sql, {
      ...page,
      companyId,
      channels,
      number: person.number ?? undefined,
      userId: person.user_id ?? undefined,
    });
  },
});
