import { z } from "@hono/zod-openapi";
import { personKeySchema, readPersonKey } from "../../_shared/contacts/ledger_entries.ts";
import { requireErased } from "../../_shared/contacts/erasure.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { ERASED_EXAMPLE, erasedSchema } from "../../_shared/http/company/person.ts";
import { addCompanyRoute } from "../company_route.ts";

/** `POST …/contacts/erase` erases a person. */
export function registerPostErase(app: App): void {
  addCompanyRoute(app, {
    method: "post",
    path: "/contacts/erase",
    operationId: "erasePerson",
    summary: "Erase what is known about a person",
    description: "Under every known address. What happened and when stays, without the person, who stays " +
      "suppressed until a later consent is recorded. A repeated request is harmless.",
    effect: "stops",
    body: { schema: personKeySchema, example: { number: "34600111222" } },
    response: {
      schema: z.object({ erased: erasedSchema }).openapi("ErasedPerson"),
      example: {
        erased: ERASED_EXAMPLE,
      },
    },
    refusals: [409],
  }, async (c, { caller: { companyId, by: { actor } }, body }) => {
    const requestId = c.get("requestId");
    const request = { ...readPersonKey(body), companyId, actor, requestId };
    return { erased: await requireErased(c.get("services"), request) };
  });
}
