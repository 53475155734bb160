import { z } from "@hono/zod-openapi";
import { liftSchema, readLift } from "../../_shared/contacts/ledger_entries.ts";
import { requireLifted } from "../../_shared/contacts/unsuppress.ts";
import { type Unsuppress, unsuppressContact } from "../../_shared/db/contacts/contact_ledger.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { sourceSchema } from "../../_shared/http/contacts/ledger_schemas.ts";
import { addMemberRoute } from "../member_route.ts";
import { SOURCE } from "./ledger.ts";

/** `DELETE …/contacts/suppressions` lifts what was recorded of a person. */
export function registerDeleteSuppressions(app: App): void {
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
