import { z } from "@hono/zod-openapi";
import type { App } from "../../_shared/http/app/context.ts";
import {
  HISTORY_EXAMPLE,
  historyCsv,
  historyFilters,
  historySchema,
  showHistory,
} from "../../_shared/http/company/history.ts";
import { addCompanyRoute } from "../company_route.ts";

const MAX_ROWS = 10_000;

/** `GET …/history` returns what happened, hour by hour or day by day, or responds with a file of it. */
export function registerGetHistory(app: App): void {
  addCompanyRoute(app, {
    method: "get",
    path: "/history",
    operationId: "getHistory",
    summary: "Show what happened, per hour or day",
    description:
      "Each message counts in the hour of each of its events: a report that comes late changes the hour to which it " +
      `belongs. Steps in which nothing happened are left out; a range of more than ${MAX_ROWS} rows is refused. ` +
      "`format=csv` responds with a file.",
    query: z.object({
      ...historyFilters,
      format: z.enum(["json", "csv"], { error: "json or csv" }).default("json"),
    }),
    response: {
      schema: historySchema,
      example: HISTORY_EXAMPLE,
      files: {
        "text/csv": {
          schema: z.string().openapi({ description: "RFC 4180, with a header line; times are UTC" }),
        },
      },
    },
  }, async (c, { caller: { companyId }, query: { format, ...filters } }) => {
    const { sql, now } = c.get("services");
    const history = await showHistory(sql, { companyId, filters, now: now(), maxRows: MAX_ROWS });
    if (format === "json") return history;
    c.header("Content-Type", "text/csv; charset=utf-8; header=present");
    c.header("Content-Disposition", `attachment; filename="history-${history.by}.csv"`);
    return c.body(historyCsv(history));
  });
}
