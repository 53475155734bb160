import { z } from "@hono/zod-openapi";
import { readUsage } from "../../_shared/db/campaigns/usage.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { addCompanyRoute } from "../company_route.ts";
import { testField } from "../../_shared/http/app/list_page.ts";

/** Use is kept as long. */
const MAX_DAYS = 35;
const DEFAULT_DAYS = 30;
const DAYS_FORMAT = `a whole number from 1 to ${MAX_DAYS}`;

const count = z.number().int().min(0);

const dayOfKeySchema = z.object({
  day: z.iso.date().openapi({ description: "In UTC" }),
  key_id: z.guid(),
  is_current: z.boolean().openapi({ description: "False for a key that was rotated since" }),
  notifications: count,
  requests: count,
  daily_quota: count.openapi({ description: "The notifications that the key may send per day, as of now" }),
}).openapi("UsageOfDay");

/** `GET …/usage` returns what the company's keys did, day by day. */
export function registerGetUsage(app: App): void {
  addCompanyRoute(app, {
    method: "get",
    path: "/usage",
    operationId: "getUsage",
    summary: "Show use per key and day",
    description:
      "The newest day first. Days without a request are left out, and requests over the limit are not counted.",
    query: z.object({
      days: z.string().regex(/^[1-9]\d?$/, DAYS_FORMAT).transform(Number)
        .refine((days) => days <= MAX_DAYS, DAYS_FORMAT).default(DEFAULT_DAYS)
        .openapi({
          type: "integer",
          minimum: 1,
          maximum: MAX_DAYS,
          description: `${DAYS_FORMAT}; ${DEFAULT_DAYS} if left out`,
          example: 7,
        }),
    }),
    response: {
      schema: z.object({ usage: z.array(dayOfKeySchema), ...testField }).openapi("Usage"),
      example: {
        usage: [{
          day: "2026-12-01",
          key_id: "0192f8c0-1111-4222-8333-444455556666",
          is_current: true,
          notifications: 12410,
          requests: 310,
          daily_quota: 100000,
        }],
      },
    },
  }, async (c, { caller: { companyId }, query: { days } }) => {
    const rows = await readUsage(c.get("services").sql, { companyId, days });
    return {
      usage: rows.map((row) => ({
        day: row.day,
        key_id: row.key_id,
        is_current: row.is_current,
        notifications: row.notifications,
        requests: row.requests,
        daily_quota: row.daily_quota,
      })),
    };
  });
}
