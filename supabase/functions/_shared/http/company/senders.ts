import { z } from "@hono/zod-openapi";
import type { Sql } from "../../db/driver/connect.ts";
import { type PacedSender, readSenderPage } from "../../db/queue/senders.ts";
import { phoneCountryOf } from "../../rows/phone_cell.ts";
import { listFields, nextOf, type Page } from "../app/list_page.ts";
import { waitOf, waitSchema } from "./wait.ts";
import { channelSchema } from "../app/shared_schemas.ts";
import { showRow } from "../app/show_row.ts";

const time = z.iso.datetime().nullable();

/** One of a company's numbers; never its token. */
export const senderSchema = z.object({
  sender_id: z.guid(),
  channel: channelSchema,
  number: z.string(),
  country: z.string().nullable().openapi({
    description:
      "Of the number, by two letters: files count as of this country where their numbers lack a country code",
  }),
  platform_id: z.string().openapi({ description: "The platform's id of the number" }),
  waba_id: z.string().nullable().openapi({ description: "The business account; null for a voice sender" }),
  has_token: z.boolean(),
  status: z.enum(["active", "stopped"]),
  stopped_reason: z.string().nullable(),
  stopped_code: z.string().nullable().openapi({
    description: "The platform's code, where a refused message stopped the sender",
  }),
  stopped_at: time,
  stopped_until: time.openapi({ description: "When the platform's restriction ends, if it said so" }),
  locked: z.boolean().openapi({
    description: "The platform locked the account: requests for it are refused",
  }),
  wait: waitSchema,
  rate_per_second: z.number().int().min(1).openapi({ description: "Messages per second" }),
  concurrency: z.number().int().min(1).openapi({ description: "Voice: calls at a time" }),
  marketing_endpoint: z.enum(["messages", "marketing_messages"]).openapi({
    description: "WhatsApp: where templates of category MARKETING go",
  }),
  throttle: z.number().min(0).max(1).openapi({
    description:
      "The share of its rate or calls that it uses now: the platform's refusals halve it for a while",
  }),
  messaging_limit: z.string().nullable().openapi({
    description: "People per day whom the business may write to first, in the platform's words",
    example: "TIER_2K",
  }),
  quality: z.string().nullable().openapi({ description: "The platform's rating", example: "RED" }),
  platform_notice: z.string().nullable().openapi({ description: "The platform's last warning" }),
  platform_notice_at: time,
  created_at: z.iso.datetime(),
}).openapi("Sender");

export const senderExample: z.input<typeof senderSchema> = {
  sender_id: "0192f8a7-4e3f-7052-8b6c-7d8e9f0a1b2c",
  channel: "whatsapp",
  number: "15550001111",
  country: "US",
  platform_id: "106540352242922",
  waba_id: "102290129340398",
  has_token: true,
  status: "active",
  stopped_reason: null,
  stopped_code: null,
  stopped_at: null,
  stopped_until: null,
  locked: false,
  wait: null,
  rate_per_second: 80,
  concurrency: 20,
  marketing_endpoint: "messages",
  throttle: 1,
  messaging_limit: "TIER_2K",
  quality: null,
  platform_notice: null,
  platform_notice_at: null,
  created_at: "2026-11-01T09:00:00Z",
};

/** The filters of a list of senders. */
export const senderFilters = {
  channel: channelSchema.optional().openapi({
    description: "Only numbers that send messages, or only those that call",
  }),
  status: z.enum(["active", "stopped"], { error: "active or stopped" }).optional().openapi({
    description: "`stopped`: those that send nothing until they are resumed",
  }),
};

export const sendersSchema = z.object({ senders: z.array(senderSchema), ...listFields }).openapi(
  "Senders",
);

/** Returns a page of a company's numbers, newest first. */
export async function listSenders(
  sql: Sql,
  companyId: string,
  query: Page<typeof senderFilters>,
): Promise<z.input<typeof sendersSchema>> {
  const rows = await readSenderPage(sql, { companyId, ...query });
  return {
    senders: rows.map((row) => showRow(senderSchema, withCountry(row))),
    next: nextOf(rows, query.limit, "sender_id"),
  };
}

/** Returns a sender with the country of its number and why it waits. */
export function withCountry<Row extends PacedSender>(row: Row) {
  return { ...row, country: phoneCountryOf(row.number), wait: waitOf(row) };
}
