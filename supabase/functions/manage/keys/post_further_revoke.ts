import { updateFurtherKey } from "../../_shared/db/access/further_keys.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { showRow } from "../../_shared/http/app/show_row.ts";
import { addCompanyRoute } from "../company_route.ts";
import { furtherKeyExample, furtherKeyParams, furtherKeySchema, noFurtherKey } from "./further_key.ts";

/** `POST …/keys/further/{key_id}/revoke` ends a key. */
export function registerPostFurtherRevoke(app: App): void {
  addCompanyRoute(app, {
    method: "post",
    path: "/keys/further/{key_id}/revoke",
    operationId: "revokeFurtherKey",
    summary: "Revoke a key beside the company's own, for good",
    effect: "stops",
    params: furtherKeyParams,
    response: { schema: furtherKeySchema, example: { ...furtherKeyExample, is_active: false } },
  }, async (c, { caller: { companyId, by }, params: { key_id: keyId } }) => {
    const row = await updateFurtherKey(c.get("services").sql, { companyId, keyId }, { revoke: true }, by);
    if (row === undefined) throw noFurtherKey();
    return showRow(furtherKeySchema, row);
  });
}
