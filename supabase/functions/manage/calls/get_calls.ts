import { z } from "@hono/zod-openapi";
import { readCallPage } from "../../_shared/db/call_list.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { nextOf, nextSchema, pageFields } from "../../_shared/http/app/list_page.ts";
import { addMemberRoute } from "../member_route.ts";
import { callExample, callSchema, describeCall } from "./call_schema.ts";
import { callOutcomeSchema } from "../../_shared/http/app/shared_schemas.ts";

/** `GET …/calls` lists the calls of a company, newest first. */
export function registerGetCalls(app: App): void {
  addMemberRoute(app, {
    method: "get",
    path: "/calls",
    operationId: "listCalls",
    summary: "List calls",
    description: "Those that were made or are going on; a campaign's recipients show those that wait.",
    role: "viewer",
    query: z.object({
      campaign_id: z.guid({ error: "the id of a campaign" }).optional(),
      number: z.string().regex(/^[1-9]\d{6,14}$/, "7 to 15 digits, no '+'").optional().openapi({
        example: "34600111222",
      }),
      outcome: callOutcomeSchema.optional(),
      ongoing: z.enum(["true"], { error: "true" }).optional().openapi({
        description: "`true`: only those that are going on",
      }),
      ...pageFields,
    }),
    response: {
      schema: z.object({ calls: z.array(callSchema), next: nextSchema }).openapi("Calls"),
      example: { calls: [callExample], next: null },
    },
  }, async (c, { member: { companyId }, query: { campaign_id: campaignId, ongoing, ...query } }) => {
    const filters = { companyId, campaignId, ongoing: ongoing === "true", ...query };
    const rows = await readCallPage(c.get("services").sql, filters);
    return { calls: rows.map(describeCall), next: nextOf(rows, query.limit) };
  });
}
