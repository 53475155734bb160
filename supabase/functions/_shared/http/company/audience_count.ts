import { z } from "@hono/zod-openapi";
import { audienceSchema, readAudience, resolveAudience } from "../../audiences/audience.ts";
import { countAudience } from "../../db/contacts/audiences.ts";
import type { Sql } from "../../db/driver/connect.ts";
import { channelSchema } from "../app/shared_schemas.ts";

const count = z.number().int().min(0);

/** An audience, and what is to be sent to it. */
export const audienceCountRequestSchema = z.strictObject({
  ...audienceSchema.shape,
  channel: channelSchema.default("whatsapp"),
  category: z.enum(["marketing", "all"], { error: "marketing or all" }).default("marketing").openapi({
    description:
      "`marketing`: those who opted out of marketing count as opted out; `all`: those who opted out of everything",
  }),
});

/** The contacts of an audience, by whether they can be reached. Each contact counts once. */
export const audienceCountSchema = z.object({
  count: count.openapi({ description: "reachable + opted_out + without_address" }),
  reachable: count.openapi({ description: "Have an address on the channel, and have not opted out" }),
  opted_out: count.openapi({ description: "Do not want such messages, by any of their addresses" }),
  without_address: count,
}).openapi("AudienceCount");

/** Counts those who belong to an audience now, and who of them can be reached. Throws as `resolveAudience` does. */
export async function showAudienceCount(
  sql: Sql,
  { companyId, now }: { companyId: string; now: Date },
  { channel, category, ...audience }: z.infer<typeof audienceCountRequestSchema>,
): Promise<z.input<typeof audienceCountSchema>> {
  const match = await resolveAudience(sql, { companyId, ...readAudience(audience, "audience"), now });
  return await countAudience(sql, { companyId, match }, { channel, category });
}
