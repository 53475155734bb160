import { z } from "@hono/zod-openapi";
import { liftSchema, readLift } from "../../_shared/contacts/ledger_entries.ts";
import { requireLifted } from "../../_shared/contacts/unsuppress.ts";
import { type Unsuppress, unsuppressContact } from "../../_shared/db/contacts/contact_ledger.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { sourceSchema } from "../../_shared/http/app/shared_schemas.ts";
import { addCompanyRoute } from "../company_route.ts";
import { SOURCE } from "./entry_lists.ts";

/** `DELETE …/contacts/suppressions` lifts what was recorded of a person. */
export function registerDeleteSuppressions(app: App): void {
  addCompanyRoute(app, {
    method: "delete",
    path: "/contacts/suppressions",
    operationId: "liftSuppressions",
    summary: "Lift a person's suppressions of a channel and category",
    description:
      "`any` and `all` contain the others. The entries stay as evidence. The person's own opt-out is lifted only with evidence of a later consent: `method` and " +
      "`consented_at`. What the platform reported stays.",
    body: {
      schema: liftSchema,
      example: {
        number: "34600111222",
        channel: "any",
        category: "marketing",
        method: "website",
        detail: "Form on acme.test/news, version 3",
        consented_at: "2026-11-02T09:00:00Z",
      },
    },
    response: {
      schema: z.object({
        lifted: z.number().int().min(1),
        still_suppressed_by: z.array(sourceSchema).openapi({
          description: "The sources by which the person is still suppressed",
        }),
      }).openapi("LiftedSuppressions"),
      example: { lifted: 1, still_suppressed_by: [] },
    },
    refusals: [409],
  }, async (c, { caller: { companyId, by }, body }) => {
    const { sql, now } = c.get("services");
    const lift: Unsuppress = { ...readLift(body, now()), sources: [SOURCE, "import"], by: SOURCE };
    const result = await unsuppressContact(sql, companyId, lift, by);
    const { lifted, kept } = requireLifted(result);
    return { lifted, still_suppressed_by: kept };
  });
}
