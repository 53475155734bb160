import { z } from "@hono/zod-openapi";
import { readSenders } from "../../_shared/db/queue/senders.ts";
import { badFormat } from "../../_shared/errors.ts";
import type { App, AppContext } from "../../_shared/http/app/context.ts";
import type { CompanyCaller } from "../../_shared/http/guards/company_caller.ts";
import { requireBelowCeilings } from "../ceilings.ts";
import { addCompanyRoute } from "../company_route.ts";
import { change, changedExample, changedSchema, noSender, params } from "./change_sender.ts";

const CONCURRENCY = "a whole number from 1 to 1000";

const RATE = "a whole number from 1 to 1000000";

const rateSchema = z.strictObject({
  rate_per_second: z.int(RATE).min(1, RATE).max(1_000_000, RATE).optional().openapi({
    description: "Messages per second",
  }),
  concurrency: z.int(CONCURRENCY).min(1, CONCURRENCY).max(1000, CONCURRENCY).optional().openapi({
    description: "Voice: calls at a time",
  }),
}).openapi("SenderRate");

/** `PUT …/senders/{sender_id}/rate` sets how fast a sender goes. */
export function registerPutRate(app: App): void {
  addCompanyRoute(app, {
    method: "put",
    path: "/senders/{sender_id}/rate",
    operationId: "setSenderRate",
    summary: "Set how fast a sender goes",
    description: "What is left out stays. The rate ends at the company's ceiling.",
    params,
    body: { schema: rateSchema, example: { rate_per_second: 40 } },
    response: { schema: changedSchema, example: changedExample },
  }, async (c, { caller, params: { sender_id: senderId }, body }) => {
    const { rate_per_second: ratePerSecond = null, concurrency = null } = body;
    if (ratePerSecond === null && concurrency === null) throw badFormat("rate_per_second", null, RATE);
    await requireRateBelowCeiling(c, caller, senderId, ratePerSecond);
    return await change(c, caller, senderId, { ratePerSecond, concurrency });
  });
}

async function requireRateBelowCeiling(
  c: AppContext,
  { companyId }: CompanyCaller,
  senderId: string,
  wanted: number | null,
): Promise<void> {
  if (wanted === null) return;
  const { sql } = c.get("services");
  const [sender] = await readSenders(sql, { companyId, senderId });
  if (sender === undefined) throw noSender();
  const { rate_per_second: current } = sender;
  await requireBelowCeilings(sql, companyId, [
    { ceiling: "sender_rate", field: "rate_per_second", current, wanted },
  ]);
}
