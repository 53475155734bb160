import { z } from "@hono/zod-openapi";
import { NUMBER } from "../../values/address.ts";
import { readCall, readCallPage } from "../../db/calls/call_list.ts";
import type { Sql } from "../../db/driver/connect.ts";
import { AppError } from "../../errors.ts";
import { listFields, nextOf, type Page } from "../app/list_page.ts";
import { statusSchema } from "../recipient_schema.ts";
import { callOutcomeSchema, flagSchema } from "../app/shared_schemas.ts";
import { orNull } from "../../values/or_null.ts";
import { showRow } from "../app/show_row.ts";

/** The voice agent of a call. */
const agentSchema = z.object({ agent_id: z.guid(), name: z.string() }).openapi("CallAgent");

/** A call in a list. */
export const callSchema = z.object({
  notification_id: z.guid(),
  campaign_id: z.guid(),
  campaign_name: z.string(),
  agent: orNull(agentSchema),
  sender_number: z.string(),
  number: z.string().nullable().openapi({ description: "Null for an erased person" }),
  status: statusSchema,
  ongoing: z.boolean(),
  outcome: orNull(callOutcomeSchema).openapi({ description: "Null until it is known" }),
  duration_s: z.number().int().min(0).nullable(),
  attempts: z.number().int().min(0),
  code: z.string().nullable(),
  reason: z.string().nullable(),
  conversation_id: z.string().nullable().openapi({ description: "The voice platform's id" }),
  started_at: z.iso.datetime().openapi({ description: "Of its last attempt" }),
  ended_at: z.iso.datetime().nullable(),
}).openapi("Call");

export const callExample: z.input<typeof callSchema> = {
  notification_id: "0192f8ad-7283-7495-80a1-b2c3d4e5f607",
  campaign_id: "0192f8a6-3d2e-7f41-9a5b-6c7d8e9f0a1b",
  campaign_name: "Reminders",
  agent: { agent_id: "0192f8ab-5c6d-7e8f-9a0b-1c2d3e4f5061", name: "Appointment reminders" },
  sender_number: "15550002222",
  number: "34600111222",
  status: "delivered",
  ongoing: false,
  outcome: "answered",
  duration_s: 42,
  attempts: 1,
  code: null,
  reason: null,
  conversation_id: "conv_7401k5zvyjhm",
  started_at: "2026-12-01T09:00:00Z",
  ended_at: "2026-12-01T09:00:50Z",
};

/** The filters of a list of calls. */
export const callFilters = {
  campaign_id: z.guid({ error: "the id of a campaign" }).optional().openapi({
    description: "Only calls of this campaign",
  }),
  number: z.string().regex(NUMBER, "7 to 15 digits, no '+'").optional().openapi({
    description: "Only calls to this number",
    example: "34600111222",
  }),
  outcome: callOutcomeSchema.optional().openapi({ description: "Only calls that ended so" }),
  ongoing: flagSchema.optional().openapi({ description: "`true`: only calls that are going on" }),
};

export const callsSchema = z.object({ calls: z.array(callSchema), ...listFields }).openapi("Calls");

const turnSchema = z.object({
  role: z.string().openapi({ description: "`agent` or `user`" }),
  message: z.string(),
  at_s: z.number().openapi({ description: "Seconds since the call began" }),
}).openapi("CallTurn");

/** A call with what was said. */
export const callDetailsSchema = callSchema.extend({
  summary: z.string().nullable(),
  transcript: z.array(turnSchema).nullable().openapi({
    description: "Null until the platform has sent it, and after it was erased",
  }),
}).openapi("CallDetails");

/** Returns a page of a company's calls, newest first. */
export async function listCalls(
  sql: Sql,
  companyId: string,
  { campaign_id: campaignId, ...query }: Page<typeof callFilters>,
): Promise<z.input<typeof callsSchema>> {
  const rows = await readCallPage(sql, { companyId, campaignId, ...query });
  return {
    calls: rows.map((row) => showRow(callSchema, row)),
    next: nextOf(rows, query.limit, "notification_id"),
  };
}

/** Returns a call with its transcript. Throws `not_found`. */
export async function showCall(
  sql: Sql,
  ids: { companyId: string; callId: string },
): Promise<z.input<typeof callDetailsSchema>> {
  const call = await readCall(sql, ids);
  if (call === undefined) throw new AppError("not_found", "Call not found");
  return showRow(callDetailsSchema, call);
}
