import { z } from "@hono/zod-openapi";
import { numberSchema } from "../../_shared/contacts/address.ts";
import { text } from "../../_shared/campaigns/notification_request.ts";
import { lockCompany } from "../../_shared/db/access/companies.ts";
import { readTestRecipients } from "../../_shared/db/campaigns/drafts.ts";
import type { SettingsDocument } from "../settings_document.ts";

const MAX_RECIPIENTS = 10;

/** The colleagues who get tests of campaigns. */
export const testRecipientsSchema = z.strictObject({
  test_recipients: z.array(z.strictObject({ number: numberSchema, name: text(200) }).openapi("TestRecipient"))
    .max(MAX_RECIPIENTS, `at most ${MAX_RECIPIENTS} recipients`)
    .refine(
      (recipients) => new Set(recipients.map(({ number }) => number)).size === recipients.length,
      "each number once",
    ),
}).openapi("TestRecipients");

/** For the API document. */
export const testRecipientsExample: z.input<typeof testRecipientsSchema> = {
  test_recipients: [{ number: "34600111222", name: "Ana" }],
};

/** The list is replaced as a whole, by one member at a time. */
export const TEST_RECIPIENTS: SettingsDocument<unknown> = {
  lock: (sql, { companyId }) => lockCompany(sql, companyId),
  read: (sql, { companyId }) => readTestRecipients(sql, companyId),
};
