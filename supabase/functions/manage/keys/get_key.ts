import { readFurtherKey } from "../../_shared/db/access/further_keys.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { showRow } from "../../_shared/http/app/show_row.ts";
import { addCompanyRoute } from "../company_route.ts";
import {
  FURTHER_KEY,
  furtherKeyExample,
  furtherKeyParams,
  furtherKeySchema,
  noFurtherKey,
} from "./further_key.ts";

/** `GET …/keys/further/{key_id}` shows a key without its text. */
export function registerGetFurtherKey(app: App): void {
  addCompanyRoute(app, {
    method: "get",
    path: "/keys/further/{key_id}",
    operationId: "getFurtherKey",
    summary: "Show a key beside the company's own, without its text",
    params: furtherKeyParams,
    response: { schema: furtherKeySchema, example: furtherKeyExample },
    document: FURTHER_KEY,
  }, async (_, { caller: { companyId }, params: { key_id: keyId }, sql }) => {
    const row = await readFurtherKey(sql, { companyId, keyId });
    if (row === undefined) throw noFurtherKey();
    return showRow(furtherKeySchema, row);
  });
}
