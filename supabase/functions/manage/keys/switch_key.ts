import { updateKey } from "../../_shared/db/access/keys.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { addCompanyRoute } from "../company_route.ts";
import { keyExample, keySchema, noKey } from "./key.ts";
import { showRow } from "../../_shared/http/app/show_row.ts";

/** Adds `POST …/keys/<verb>`, which switches the company's key on or off. */
export function addKeySwitch(
  app: App,
  { verb, summary, isActive }: { verb: "revoke" | "activate"; summary: string; isActive: boolean },
): void {
  addCompanyRoute(app, {
    method: "post",
    path: `/keys/${verb}`,
    operationId: `${verb}CompanyKey`,
    summary,
    effect: isActive ? "acts" : "stops",
    response: { schema: keySchema, example: { ...keyExample, is_active: isActive } },
  }, async (c, { caller: { companyId, by } }) => {
    const row = await updateKey(c.get("services").sql, companyId, { isActive }, by);
    if (row === undefined) throw noKey();
    return showRow(keySchema, row);
  });
}
