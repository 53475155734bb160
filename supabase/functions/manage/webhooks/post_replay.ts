import { z } from "@hono/zod-openapi";
import type { App } from "../../_shared/http/app/context.ts";
import { replayedSchema, replayFailed } from "../../_shared/http/company/replay_deliveries.ts";
import { addCompanyRoute } from "../company_route.ts";
import { zonedTime } from "../../_shared/values/zoned_time.ts";

export const sinceSchema = z.strictObject({
  since: zonedTime("a time with its zone, such as 2026-12-01T09:00:00Z"),
}).openapi("ReplaySince");

/** `POST …/webhooks/replay` delivers the events that failed since a time. */
export function registerPostReplay(app: App): void {
  addCompanyRoute(
    app,
    {
      method: "post",
      path: "/webhooks/replay",
      operationId: "replayFailedDeliveries",
      summary: "Deliver events again that failed",
      description: "Those since `since`. Events that wait for a further attempt go now.",
      body: { schema: sinceSchema, example: { since: "2026-12-01T09:00:00Z" } },
      response: { schema: replayedSchema, example: { replayed: 12 } },
      refusals: [409],
    },
    async (c, { caller: { companyId, by }, body: { since } }) =>
      await replayFailed(c.get("services").sql, { companyId, since: new Date(since) }, by),
  );
}
