import assert from "node:assert/strict";
import { writeReference } from "../../supabase/functions/_shared/dispatching/reference.ts";
import {
  acceptAll,
  knownTemplate,
  requestOf,
  type RequestOverrides,
  type SendingCompany,
} from "../setup/fixtures/queue.ts";
import { plainNumber } from "./plain_number.ts";
import type { FaultEnvironment } from "./with_faults.ts";

/** A campaign in the queue. */
export interface InsertedCampaign {
  ids: Set<string>;
  /** The references of its messages on the platform, without the attempt. */
  references: Set<string>;
  /** Milliseconds. */
  dueAt: number;
}

type Tenant = Pick<FaultEnvironment, "company" | "key" | "sender" | "template">;

/** Queues any number of messages at once, the way the API does. */
export async function insertCampaign(
  { sql, ...tenant }: Tenant & Pick<FaultEnvironment, "sql">,
  overrides: RequestOverrides,
): Promise<InsertedCampaign> {
  const company = await sendingCompany(sql, tenant);
  const request = requestOf(company, { message: MESSAGE, ...overrides });
  request.notifications.forEach((notification, index) => notification.number = plainNumber(index));
  const [verdict] = await acceptAll(sql, [request]);
  assert.equal(verdict?.outcome, "accepted");
  const ids = request.notifications.map(({ id }) => id);
  return {
    ids: new Set(ids),
    references: new Set(
      ids.map((id) => writeReference({ companyId: company.id, notificationId: id, fence: null })),
    ),
    dueAt: Date.parse(request.campaign.scheduled_time ?? new Date().toISOString()),
  };
}

/** The two values of the template's body. */
const MESSAGE = [{
  type: "body",
  parameters: [{ type: "text", text: "Ana" }, { type: "text", text: "A-17" }],
}];

async function sendingCompany(
  sql: FaultEnvironment["sql"],
  { company, key, sender, template }: Tenant,
): Promise<SendingCompany> {
  return { id: company.id, key, sender, template: await knownTemplate(sql, template) };
}
