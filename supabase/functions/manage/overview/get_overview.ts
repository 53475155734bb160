import { z } from "@hono/zod-openapi";
import type { App } from "../../_shared/http/app/context.ts";
import { addCompanyRoute } from "../company_route.ts";
import { waitOf, waitSchema } from "../../_shared/http/company/wait.ts";
import { channelSchema } from "../../_shared/http/app/shared_schemas.ts";
import { orNull } from "../../_shared/values/or_null.ts";
import { showRow } from "../../_shared/http/app/show_row.ts";

const count = z.number().int().min(0);

const troubleSchema = z.object({
  sender_id: z.guid(),
  number: z.string(),
  channel: channelSchema,
  trouble: z.enum(["stopped", "unreachable", "throttled", "limit_reached", "low_quality"]).openapi({
    description:
      "`limit_reached`: it has sent as many messages within a day as the platform lets it write to people",
  }),
  code: z.string().nullable().openapi({ description: "Of a stopped one: the platform's code" }),
  reason: z.string().nullable(),
}).openapi("SenderInTrouble");

const webhookSchema = z.object({
  state: z.enum(["working", "failing", "stopped"]),
  failures: count.openapi({ description: "Deliveries that failed in a row" }),
  reason: z.string().nullable().openapi({ description: "Why it stopped; null where a member stopped it" }),
}).openapi("OverviewWebhook");

const budgetSchema = z.object({
  spent: z.string().openapi({ description: "An estimate, about a minute old" }),
  warn: z.string().nullable(),
  limit: z.string().nullable(),
  currency: z.string(),
  state: z.enum(["within", "warned", "reached"]).openapi({
    description: "`reached`: requests for messages are refused, and what waits is held",
  }),
}).openapi("OverviewBudget");

const overviewSchema = z.object({
  campaigns: z.object({
    sending: count,
    paused: count,
    scheduled: count,
    held_by_template: count.openapi({
      description: "Of the paused ones, those whose template is not approved",
    }),
    more: z.boolean().openapi({ description: "There are more than the 1000 that were counted" }),
  }),
  waiting: count.openapi({ description: "Notifications of these campaigns that have not left" }),
  put_off: count.openapi({ description: "Those of campaigns of which nothing leaves: `wait` says why" }),
  wait: waitSchema.openapi({
    description: "Of these campaigns, that of the first that leaves; null where none waits",
  }),
  oldest_wait_s: count.nullable().openapi({
    description: "How long the oldest notification that may leave has waited; null when none waits",
  }),
  senders_in_trouble: z.array(troubleSchema),
  ongoing_calls: count,
  accepted_today: count.openapi({ description: "Notifications since midnight in UTC" }),
  budget: orNull(budgetSchema).openapi({ description: "Of this month (UTC); null without one" }),
  webhook: orNull(webhookSchema).openapi({ description: "The company's endpoint; null where it has none" }),
}).openapi("Overview");

/** `GET …/overview` shows the state of a company at a glance. */
export function registerGetOverview(app: App): void {
  addCompanyRoute(
    app,
    {
      method: "get",
      path: "/overview",
      operationId: "getOverview",
      summary: "Show the state of the company at a glance",
      response: {
        schema: overviewSchema,
        example: {
          campaigns: { sending: 2, paused: 1, scheduled: 0, held_by_template: 0, more: false },
          waiting: 420,
          put_off: 400,
          wait: { reason: "sending_hours", since: "2026-12-01T20:00:00Z", until: "2026-12-02T08:00:00Z" },
          oldest_wait_s: 3,
          senders_in_trouble: [{
            sender_id: "0192f8a7-4e3f-7052-8b6c-7d8e9f0a1b2c",
            number: "15550001111",
            channel: "whatsapp",
            trouble: "stopped",
            code: "131031",
            reason: "The platform locked the account",
          }],
          ongoing_calls: 1,
          accepted_today: 1200,
          budget: { spent: "82.5", warn: "80", limit: "100", currency: "EUR", state: "warned" },
          webhook: { state: "failing", failures: 3, reason: null },
        },
      },
    },
    async (c, { caller: { companyId } }) => {
      const row = await c.get("services").overview(companyId);
      return showRow(overviewSchema, { ...row, wait: waitOf(row) });
    },
  );
}
