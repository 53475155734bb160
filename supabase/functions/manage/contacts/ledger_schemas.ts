import { z } from "@hono/zod-openapi";
import type { ConsentRow, SuppressionRow } from "../../_shared/db/contacts/contact_ledger.ts";
import { showRow } from "../../_shared/http/app/show_row.ts";
import { sourceSchema } from "../../_shared/http/app/shared_schemas.ts";
import { personOf } from "./person_query.ts";

const evidence = z.record(z.string(), z.unknown()).nullable();

/** A suppression as the API returns it. */
export const suppressionSchema = z.object({
  id: z.guid(),
  number: z.string().optional(),
  user_id: z.string().optional(),
  channel: z.string(),
  category: z.string(),
  source: sourceSchema,
  at: z.iso.datetime().openapi({ description: "When it was said" }),
  evidence: evidence.openapi({ description: "What was said, and where" }),
  created_at: z.iso.datetime(),
  lifted_at: z.iso.datetime().nullable(),
  lifted_by: z.string().nullable(),
  lifted_evidence: evidence,
}).openapi("Suppression");

/** Returns a suppression with its person's number or user id. */
export function showSuppression(row: SuppressionRow): z.input<typeof suppressionSchema> {
  return showRow(suppressionSchema, { ...row, ...personOf(row.address) });
}

/** A consent as the API returns it. */
export const consentSchema = z.object({
  id: z.guid(),
  number: z.string().optional(),
  user_id: z.string().optional(),
  channel: z.string(),
  category: z.string(),
  status: z.enum(["granted", "withdrawn"]),
  method: z.string(),
  detail: z.string().nullable(),
  consented_at: z.iso.datetime(),
  source: z.string(),
  created_at: z.iso.datetime(),
}).openapi("Consent");

/** Returns a consent with its person's number or user id. */
export function showConsent(row: ConsentRow): z.input<typeof consentSchema> {
  return showRow(consentSchema, { ...row, ...personOf(row.address) });
}
