import { readTestRecipients } from "../../_shared/db/campaigns/drafts.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { addCompanyRoute } from "../company_route.ts";
import { TEST_RECIPIENTS, testRecipientsExample, testRecipientsSchema } from "./test_recipients.ts";

/** `GET …/settings/test_recipients` lists the colleagues who get tests of campaigns. */
export function registerGetTestRecipients(app: App): void {
  addCompanyRoute(app, {
    method: "get",
    path: "/settings/test_recipients",
    operationId: "listTestRecipients",
    summary: "List who gets tests of campaigns",
    response: { schema: testRecipientsSchema, example: testRecipientsExample },
    document: TEST_RECIPIENTS,
  }, async (_, { caller: { companyId }, sql }) => ({
    test_recipients: await readTestRecipients(sql, companyId),
  }));
}
