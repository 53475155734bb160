import { z } from "@hono/zod-openapi";
import { erasedHashesOf } from "../../_shared/contacts/erasure.ts";
import {
  consentSchema as newConsentSchema,
  liftSchema,
  readConsent,
  readEntries,
  readLift,
  readSuppression,
  suppressionSchema as newSuppressionSchema,
} from "../../_shared/contacts/ledger_entries.ts";
import { requireLifted } from "../../_shared/contacts/unsuppress.ts";
import {
  readConsents,
  readSuppressions,
  type Unsuppress,
  unsuppressContact,
} from "../../_shared/db/contacts/contact_ledger.ts";
import { recordConsents, suppressContacts } from "../../_shared/db/contacts/contacts.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { nextOf, nextSchema } from "../../_shared/http/app/list_page.ts";
import {
  countsOf,
  countsSchema,
  entriesSchema,
  listSchema,
} from "../../_shared/http/contacts/entry_lists.ts";
import {
  consentSchema,
  describeConsent,
  describeSuppression,
  sourceSchema,
  suppressionSchema,
} from "../../_shared/http/contacts/ledger_schemas.ts";
import { listQuery } from "../../_shared/http/contacts/list_query.ts";
import { addMemberRoute } from "../member_route.ts";

/** 1,000 entries with a detail of 1,000 characters each. */
const MAX_BODY_BYTES = 2 * 1024 * 1024;

const memberQuery = listQuery.omit({ access_key: true });
const recordedSchema = countsSchema.omit({ success: true });
const RECORDED = { added: 1, already: 0, invalid: 0, errors: [] };

/** A member speaks for the company, as its own systems do. */
const SOURCE = "api";

/** `GET`, `POST` and `DELETE …/contacts/suppressions`: who does not want to be written to. */
export function registerSuppressions(app: App): void {
  addMemberRoute(app, {
    method: "get",
    path: "/contacts/suppressions",
    operationId: "listManagedSuppressions",
    summary: "List who does not want to be written to",
    role: "viewer",
    query: memberQuery.extend({
      source: sourceSchema.optional(),
      lifted: z.enum(["true", "false"], { error: "true or false" }).optional().openapi({
        description: "`true` lists those too that were lifted",
      }),
    }),
    response: {
      schema: z.object({ suppressions: z.array(suppressionSchema), next: nextSchema }).openapi(
        "SuppressionPage",
      ),
      example: { suppressions: [], next: null },
    },
  }, async (c, { member: { companyId }, query }) => {
    const isLifted = query.lifted === "true";
    const rows = await readSuppressions(c.get("services").sql, { ...query, companyId, lifted: isLifted });
    return { suppressions: rows.map(describeSuppression), next: nextOf(rows, query.limit) };
  });

  addMemberRoute(app, {
    method: "post",
    path: "/contacts/suppressions",
    operationId: "suppressPeople",
    summary: "Record up to 1,000 people who do not want to be written to",
    description:
      "Each entry is checked by itself: `errors` names those that do not fit. A repeated request changes nothing.",
    role: "operator",
    effect: "stops",
    body: {
      schema: z.strictObject({ suppressions: entriesSchema(newSuppressionSchema) }).openapi("SuppressPeople"),
      check: listSchema("suppressions"),
      example: { suppressions: [{ number: "34600111222", detail: "Asked by phone" }] },
      maxBytes: MAX_BODY_BYTES,
    },
    response: { schema: recordedSchema.openapi("SuppressedPeople"), example: RECORDED },
  }, async (c, { member: { companyId, by }, body: { suppressions } }) => {
    const { sql, now } = c.get("services");
    const recording = { source: SOURCE, now: now() } as const;
    const { entries, errors } = readEntries(suppressions, (entry) => readSuppression(entry, recording));
    const added = entries.length === 0 ? [] : await suppressContacts(sql, companyId, entries, by);
    const { success: _, ...counts } = countsOf(added, errors);
    return counts;
  });

  addMemberRoute(app, {
    method: "delete",
    path: "/contacts/suppressions",
    operationId: "liftManagedSuppressions",
    summary: "Lift a person's suppressions of a channel and category",
    description: "The person's own opt-out is lifted only with evidence of a later consent: `method` and " +
      "`consented_at`. What the platform reported stays.",
    role: "owner",
    body: { schema: liftSchema, example: { number: "34600111222", channel: "any", category: "marketing" } },
    response: {
      schema: z.object({
        lifted: z.number().int().min(1),
        still_suppressed_by: z.array(sourceSchema),
      }).openapi("LiftedByMember"),
      example: { lifted: 1, still_suppressed_by: [] },
    },
    refusals: [409],
  }, async (c, { member: { companyId, by }, body }) => {
    const { sql, now } = c.get("services");
    const lift: Unsuppress = { ...readLift(body, now()), sources: [SOURCE, "import"], by: SOURCE };
    const result = await unsuppressContact(sql, companyId, lift, by);
    const { lifted, kept } = requireLifted(result);
    return { lifted, still_suppressed_by: kept };
  });
}

/** `GET` and `POST …/contacts/consents`: who agreed to be written to. */
export function registerConsents(app: App): void {
  addMemberRoute(app, {
    method: "get",
    path: "/contacts/consents",
    operationId: "listManagedConsents",
    summary: "List who agreed to be written to, and who took it back",
    role: "viewer",
    query: memberQuery.extend({
      status: z.enum(["granted", "withdrawn"], { error: "granted or withdrawn" }).optional(),
    }),
    response: {
      schema: z.object({ consents: z.array(consentSchema), next: nextSchema }).openapi("ConsentPage"),
      example: { consents: [], next: null },
    },
  }, async (c, { member: { companyId }, query }) => {
    const rows = await readConsents(c.get("services").sql, { ...query, companyId });
    return { consents: rows.map(describeConsent), next: nextOf(rows, query.limit) };
  });

  addMemberRoute(app, {
    method: "post",
    path: "/contacts/consents",
    operationId: "recordPeopleConsents",
    summary: "Record up to 1,000 consents, or that they were taken back",
    description:
      "Each entry is checked by itself: `errors` names those that do not fit. A repeated request changes nothing. A " +
      "consent lifts the opt-outs before it.",
    role: "owner",
    body: {
      schema: z.strictObject({ consents: entriesSchema(newConsentSchema) }).openapi("RecordConsents"),
      check: listSchema("consents"),
      example: {
        consents: [{
          number: "34600111222",
          channel: "whatsapp",
          status: "granted",
          method: "phone",
          consented_at: "2026-11-01T09:00:00Z",
        }],
      },
      maxBytes: MAX_BODY_BYTES,
    },
    response: { schema: recordedSchema.openapi("RecordedConsents"), example: RECORDED },
  }, async (c, { member: { companyId, by }, body }) => {
    const { sql, sealer, now } = c.get("services");
    const recording = { source: SOURCE, now: now() } as const;
    const { entries, errors } = readEntries(body.consents, (entry) => readConsent(entry, recording));
    const hashesOf = await erasedHashesOf({ sql, sealer }, companyId);
    const consents = entries.map((consent) => ({ ...consent, hashes: hashesOf(consent) }));
    const recorded = consents.length === 0 ? [] : await recordConsents(sql, companyId, consents, by);
    const { success: _, ...counts } = countsOf(recorded.map(({ added }) => added), errors);
    return counts;
  });
}
