import { z } from "@hono/zod-openapi";
import { type Ceilings, readCompanySettings } from "../_shared/db/access/companies.ts";
import type { Sql } from "../_shared/db/driver/connect.ts";
import { AppError, badFormat } from "../_shared/errors.ts";

const ceiling = z.number().int().min(0);

export const ceilingsSchema = z.object({
  daily_quota: ceiling.openapi({ description: "Notifications per day (UTC)" }),
  rate_limit: ceiling.openapi({ description: "Requests per minute" }),
  voice_minutes: ceiling.openapi({ description: "Of visitors, per day (UTC)" }),
  sender_rate: ceiling.openapi({ description: "Messages per second" }),
}).openapi("Ceilings", {
  description: "How far limits may be raised. Only the operator of this service sets them",
});

export const ceilingsExample: z.input<typeof ceilingsSchema> = {
  daily_quota: 100000,
  rate_limit: 600,
  voice_minutes: 3000,
  sender_rate: 80,
};

/**
 * A limit that a member changes: the field, its value now, and the value wanted; undefined leaves it. `others`: what others
 * take of the same ceiling.
 */
export interface LimitChange {
  ceiling: keyof Ceilings;
  field: string;
  current: number;
  wanted: number | undefined;
  others?: number;
}

/**
 * Refuses to raise a limit above the company's ceiling. One that the operator set above it may stay or be lowered.
 *
 * Throws `validation_failed`.
 */
export async function requireBelowCeilings(
  sql: Sql,
  companyId: string,
  changes: LimitChange[],
): Promise<void> {
  const raised = changes.filter(({ wanted, current }) => wanted !== undefined && wanted > current);
  if (raised.length === 0) return;
  const settings = await readCompanySettings(sql, companyId);
  if (settings === undefined) throw new AppError("not_found", "Company not found");
  for (const { field, wanted, ceiling, others = 0 } of raised) {
    const highest = settings.ceilings[ceiling];
    if (wanted! + others <= highest) continue;
    const rest = `${highest}, the ceiling that the operator of this service set`;
    const left = Math.max(highest - others, 0);
    throw badFormat(
      field,
      wanted,
      `at most ${others === 0 ? rest : `${left}: the other keys take ${others} of ${rest}`}`,
    );
  }
}
