import { z } from "@hono/zod-openapi";
import { readCompanyCaps, updateCompanySettings } from "../../_shared/db/access/companies.ts";
import { switchRecordedBodies } from "../../_shared/db/access/recorded_bodies.ts";
import type { Sql } from "../../_shared/db/driver/connect.ts";
import { AppError } from "../../_shared/errors.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { requireBelowCeilings } from "../ceilings.ts";
import { addCompanyRoute } from "../company_route.ts";
import { capChangesSchema } from "../visitor_caps.ts";
import { COMPANY_SETTINGS } from "./stored_settings.ts";
import {
  callGapSchema,
  learnContactsSchema,
  onUnknownSchema,
  recordBodiesSchema,
  settingsExample,
  settingsSchema,
} from "./company_settings.ts";
import { showRow } from "../../_shared/http/app/show_row.ts";

/** `PUT …/settings` changes how the company sends. */
export function registerPutSettings(app: App): void {
  addCompanyRoute(app, {
    method: "put",
    path: "/settings",
    operationId: "changeSettings",
    summary: "Change settings",
    description: "What is left out stays. Owners alone may set `record_bodies`.",
    ownerFields: ["record_bodies"],
    body: {
      schema: z.strictObject({
        on_unknown: onUnknownSchema.optional(),
        call_gap_s: callGapSchema.optional(),
        learn_contacts: learnContactsSchema.optional(),
        record_bodies: recordBodiesSchema.optional(),
        visitor_caps: capChangesSchema.optional(),
      }).openapi("CompanySettingsChanges"),
      example: { on_unknown: "hold", call_gap_s: 300, visitor_caps: { voice_minutes: 300 } },
    },
    response: { schema: settingsSchema, example: settingsExample },
    document: COMPANY_SETTINGS,
  }, async (_, { caller: { companyId, by }, sql, body: { record_bodies: isOn, ...changes } }) => {
    await requireMinutesBelowCeiling(sql, companyId, changes.visitor_caps?.voice_minutes);
    if (isOn !== undefined) await switchRecordedBodies(sql, { companyId, isOn }, by);
    const settings = await updateCompanySettings(sql, companyId, changes, by);
    if (settings === undefined) throw new AppError("not_found", "Company not found");
    return showRow(settingsSchema, settings);
  });
}

async function requireMinutesBelowCeiling(
  sql: Sql,
  companyId: string,
  wanted: number | undefined,
): Promise<void> {
  if (wanted === undefined) return;
  const { voice_minutes: current } = await readCompanyCaps(sql, companyId);
  await requireBelowCeilings(sql, companyId, [
    { ceiling: "voice_minutes", field: "visitor_caps.voice_minutes", current, wanted },
  ]);
}
