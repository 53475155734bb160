import { replaceTestRecipients } from "../../_shared/db/campaigns/drafts.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { addCompanyRoute } from "../company_route.ts";
import { TEST_RECIPIENTS, testRecipientsExample, testRecipientsSchema } from "./test_recipients.ts";

/** `PUT …/settings/test_recipients` replaces the colleagues who get tests of campaigns. */
export function registerPutTestRecipients(app: App): void {
  addCompanyRoute(app, {
    method: "put",
    path: "/settings/test_recipients",
    operationId: "setTestRecipients",
    summary: "Replace who gets tests of campaigns",
    description: "Up to ten numbers, with names.",
    body: { schema: testRecipientsSchema, example: testRecipientsExample },
    response: { schema: testRecipientsSchema, example: testRecipientsExample },
    document: TEST_RECIPIENTS,
  }, async (_, { caller: { companyId, by }, sql, body: { test_recipients: recipients } }) => ({
    test_recipients: await replaceTestRecipients(sql, { companyId, recipients }, by),
  }));
}
