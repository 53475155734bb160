import { z } from "@hono/zod-openapi";
import {
  type CompanySettings,
  readCompanyCaps,
  updateCompanySettings,
} from "../../_shared/db/access/companies.ts";
import type { Sql } from "../../_shared/db/driver/connect.ts";
import { AppError } from "../../_shared/errors.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { ceilingsExample, ceilingsSchema, describeCeilings, requireBelowCeilings } from "../ceilings.ts";
import { addMemberRoute } from "../member_route.ts";
import { capChangesOf, capChangesSchema, capsExample, capsSchema, describeCaps } from "../visitor_caps.ts";
import { COMPANY_SETTINGS } from "./stored_settings.ts";

const onUnknownSchema = z.enum(["resend", "hold"], { error: "resend or hold" });
const callGapSchema = z.int({ error: "0 to 86400 seconds" }).min(0, "0 to 86400 seconds").max(
  86_400,
  "0 to 86400 seconds",
);

export const settingsSchema = z.object({
  api_access: z.boolean().openapi({ description: "Only the operator of this service changes it" }),
  on_unknown: onUnknownSchema.openapi({
    description: "The fate of a message if the platform never reports whether it took it",
  }),
  call_gap_s: callGapSchema.openapi({ description: "Seconds before one campaign calls a number again" }),
  visitor_caps: capsSchema,
  ceilings: ceilingsSchema,
}).openapi("CompanySettings");

export const settingsExample: z.input<typeof settingsSchema> = {
  api_access: true,
  on_unknown: "resend",
  call_gap_s: 60,
  visitor_caps: capsExample,
  ceilings: ceilingsExample,
};

/** Returns settings in the API's names. */
export function describeSettings(row: CompanySettings): z.input<typeof settingsSchema> {
  return {
    api_access: row.apiAccess,
    on_unknown: row.onUnknown,
    call_gap_s: row.callGapS,
    visitor_caps: describeCaps(row.visitorCaps),
    ceilings: describeCeilings(row.ceilings),
  };
}

/** `PUT …/settings` changes how a company sends, and what visitors of its widgets may use. */
export function registerPutSettings(app: App): void {
  addMemberRoute(app, {
    method: "put",
    path: "/settings",
    operationId: "changeSettings",
    summary: "Change settings",
    description: "What is left out stays.",
    role: "operator",
    body: {
      schema: z.strictObject({
        on_unknown: onUnknownSchema.optional(),
        call_gap_s: callGapSchema.optional(),
        visitor_caps: capChangesSchema.optional(),
      }).openapi("CompanySettingsChanges"),
      example: { on_unknown: "hold", call_gap_s: 300, visitor_caps: { voice_minutes: 300 } },
    },
    response: { schema: settingsSchema, example: settingsExample },
    document: COMPANY_SETTINGS,
  }, async (_, { member: { companyId, by }, sql, body: { on_unknown, call_gap_s, visitor_caps } }) => {
    const changes = {
      companyId,
      onUnknown: on_unknown,
      callGapS: call_gap_s,
      visitorCaps: capChangesOf(visitor_caps),
    };
    await requireMinutesBelowCeiling(sql, companyId, visitor_caps?.voice_minutes);
    const settings = await updateCompanySettings(sql, changes, by);
    if (settings === undefined) throw new AppError("not_found", "Company not found");
    return describeSettings(settings);
  });
}

async function requireMinutesBelowCeiling(
  sql: Sql,
  companyId: string,
  wanted: number | undefined,
): Promise<void> {
  if (wanted === undefined) return;
  const { voiceMinutes: current } = await readCompanyCaps(sql, companyId);
  await requireBelowCeilings(sql, companyId, [
    { ceiling: "voiceMinutes", field: "visitor_caps.voice_minutes", current, wanted },
  ]);
}
