import { z } from "@hono/zod-openapi";
import { type SenderSettings, updateSenderSettings } from "../../_shared/db/queue/senders.ts";
import { AppError } from "../../_shared/errors.ts";
import type { AppContext } from "../../_shared/http/app/context.ts";
import type { CompanyCaller } from "../../_shared/http/guards/company_caller.ts";

export const changedSchema = z.object({
  sender_id: z.guid(),
  status: z.enum(["active", "stopped"]),
  rate_per_second: z.number().int().min(1),
  concurrency: z.number().int().min(1),
}).openapi("ChangedSender");

export const changedExample: z.input<typeof changedSchema> = {
  sender_id: "0192f8a7-4e3f-7052-8b6c-7d8e9f0a1b2c",
  status: "active",
  rate_per_second: 40,
  concurrency: 20,
};

export const params = z.object({ sender_id: z.guid() });

export function noSender(): AppError {
  return new AppError("not_found", "Sender not found");
}

export async function change(
  c: AppContext,
  { companyId, by }: CompanyCaller,
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
    rate_per_second: changed.rate_per_second,
    concurrency: changed.concurrency,
  };
}
