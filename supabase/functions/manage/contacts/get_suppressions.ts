import { z } from "@hono/zod-openapi";
import { readSuppressions } from "../../_shared/db/contacts/contact_ledger.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { nextOf, nextSchema } from "../../_shared/http/app/list_page.ts";
import {
  showSuppression,
  sourceSchema,
  suppressionSchema,
} from "../../_shared/http/contacts/ledger_schemas.ts";
import { addMemberRoute } from "../member_route.ts";
import { memberQuery } from "./ledger.ts";

/** `GET …/contacts/suppressions` lists who does not want to be written to. */
export function registerGetSuppressions(app: App): void {
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
    return { suppressions: rows.map(showSuppression), next: nextOf(rows, query.limit) };
  });
}
