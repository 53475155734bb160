import { z } from "@hono/zod-openapi";
import { readSenders, type SenderSettings, updateSenderSettings } from "../../_shared/db/queue/senders.ts";
import { AppError, badFormat } from "../../_shared/errors.ts";
import type { App, AppContext } from "../../_shared/http/app/context.ts";
import type { Member } from "../../_shared/http/guards/require_member.ts";
import { requireBelowCeilings } from "../ceilings.ts";
import { addMemberRoute } from "../member_route.ts";

const changedSchema = z.object({
  sender_id: z.guid(),
  status: z.enum(["active", "stopped"]),
  rate_per_second: z.number().int().min(1),
  concurrency: z.number().int().min(1),
}).openapi("ChangedSender");

const changedExample: z.input<typeof changedSchema> = {
  sender_id: "0192f8a7-4e3f-7052-8b6c-7d8e9f0a1b2c",
  status: "active",
  rate_per_second: 40,
  concurrency: 20,
};

const params = z.object({ sender_id: z.guid() });

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

/** `POST …/senders/{sender_id}/resume` lets a sender that was stopped send again. */
export function registerResumeSender(app: App): void {
  addMemberRoute(
    app,
    {
      method: "post",
      path: "/senders/{sender_id}/resume",
      operationId: "resumeSender",
      summary: "Let a stopped sender send again",
      description: "Earlier reports of the platform then change nothing. A repeated request changes nothing.",
      role: "operator",
      params,
      response: { schema: changedSchema, example: changedExample },
    },
    async (c, { member, params: { sender_id: senderId } }) =>
      await change(c, member, senderId, { resume: true }),
  );
}

/** `PUT …/senders/{sender_id}/rate` sets how fast a sender goes. */
export function registerPutRate(app: App): void {
  addMemberRoute(app, {
    method: "put",
    path: "/senders/{sender_id}/rate",
    operationId: "setSenderRate",
    summary: "Set how fast a sender goes",
    description: "What is left out stays. The rate ends at the company's ceiling.",
    role: "operator",
    params,
    body: { schema: rateSchema, example: { rate_per_second: 40 } },
    response: { schema: changedSchema, example: changedExample },
  }, async (c, { member, params: { sender_id: senderId }, body }) => {
    const { rate_per_second: ratePerSecond = null, concurrency = null } = body;
    if (ratePerSecond === null && concurrency === null) throw badFormat("rate_per_second", null, RATE);
    await requireRateBelowCeiling(c, member, senderId, ratePerSecond);
    return await change(c, member, senderId, { ratePerSecond, concurrency });
  });
}

async function requireRateBelowCeiling(
  c: AppContext,
  { companyId }: Member,
  senderId: string,
  wanted: number | null,
): Promise<void> {
  if (wanted === null) return;
  const { sql } = c.get("services");
  const [sender] = await readSenders(sql, { companyId, senderId });
  if (sender === undefined) throw noSender();
  const { ratePerSecond: current } = sender;
  await requireBelowCeilings(sql, companyId, [
    { ceiling: "senderRate", field: "rate_per_second", current, wanted },
  ]);
}

function noSender(): AppError {
  return new AppError("not_found", "Sender not found");
}

async function change(
  c: AppContext,
  { companyId, by }: Member,
  senderId: string,
  settings: Partial<SenderSettings>,
): Promise<z.input<typeof changedSchema>> {
  const { sql, newWork } = c.get("services");
  const unchanged = {
    tokenSealed: null,
    ratePerSecond: null,
    concurrency: null,
    marketingEndpoint: null,
    resume: false,
  };
  const changed = await updateSenderSettings(sql, { ...unchanged, ...settings, companyId, senderId }, by);
  if (changed === undefined) throw noSender();
  // Notifications that waited for it may leave at once.
  newWork.notify();
  return {
    sender_id: senderId,
    status: changed.status,
    rate_per_second: changed.ratePerSecond,
    concurrency: changed.concurrency,
  };
}
