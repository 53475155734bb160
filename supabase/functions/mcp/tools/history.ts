import { z } from "@hono/zod-openapi";
import { historyFilters, historySchema, showHistory } from "../../_shared/http/company/history.ts";
import { defineTool, READS } from "../tool.ts";

/** Fewer than the API's: an agent reads all of it. */
const MAX_ROWS = 200;

/** `get_history`: the history of the company, in at most `MAX_ROWS` rows. */
export const getHistory = defineTool({
  name: "get_history",
  title: "Show what happened",
  description:
    "Shows what happened per hour or day, by campaign, template, sender, country, reason or channel: accepted, sent, " +
    "delivered, read, replied, failed, opted out, and the cost. Use it for yesterday and for trends.",
  hints: READS,
  effect: "reads",
  role: "viewer",
  permission: "reports",
  input: z.strictObject(historyFilters),
  output: historySchema,
  run: async ({ services: { sql, now }, caller: { companyId }, args }) =>
    await showHistory(sql, { companyId, filters: args, now: now(), maxRows: MAX_ROWS }),
});
