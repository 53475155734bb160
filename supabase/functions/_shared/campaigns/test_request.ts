import { checkFields } from "../check_fields.ts";
import type { TestRecipient } from "../db/campaigns/drafts.ts";
import { AppError } from "../errors.ts";
import { type PlannedRequest, readUploadPlan, requestOf, uploadPlanSchema } from "./uploads/upload_plan.ts";

const MAX_NAME_LENGTH = 200;
/** The fields that say whom a campaign goes to, and when. A test goes to colleagues, at once. */
const NOT_TESTED = ["audience", "columns", "datetime_sending", "timezone", "recipient_time", "spread_over"];

/**
 * Returns a draft as a request to colleagues: what its columns would fill comes from `sample`, and the name of the campaign
 * says that it is a test.
 *
 * Throws `validation_failed` for a draft that is not complete, and where there are no test recipients.
 */
export function testRequestOf(
  plan: Record<string, unknown>,
  { name, recipients, sample }: {
    /** Of the draft. */
    name: string;
    recipients: TestRecipient[];
    sample: Record<string, unknown>;
  },
): PlannedRequest {
  if (recipients.length === 0) {
    throw new AppError("validation_failed", "There are no test recipients: save some in the settings");
  }
  const fields = Object.fromEntries(Object.entries(plan).filter(([field]) => !NOT_TESTED.includes(field)));
  const names = ["number", "name", ...Object.keys((plan.columns ?? {}) as object), ...Object.keys(sample)];
  const complete = checkFields(uploadPlanSchema, {
    recipient_id: "default",
    ...fields,
    campaign_name: `Test: ${fields.campaign_name ?? name}`.slice(0, MAX_NAME_LENGTH),
    columns: Object.fromEntries(names.map((field) => [field, field])),
  });
  const planned = requestOf(readUploadPlan(complete));
  const contacts = recipients.map(({ number, name }) => ({ name, ...sample, number }));
  return { ...planned, request: { ...planned.request, contacts } };
}
