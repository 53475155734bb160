import { z } from "@hono/zod-openapi";
import { readCurrentKey } from "../../_shared/db/access/keys.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { addCompanyRoute } from "../company_route.ts";
import { KEY_SETTINGS, keyExample, keySchema } from "./key.ts";
import { orNull } from "../../_shared/values/or_null.ts";
import { showRow } from "../../_shared/http/app/show_row.ts";

/** `GET …/keys` shows the company's key without its text. */
export function registerGetKeys(app: App): void {
  addCompanyRoute(app, {
    method: "get",
    path: "/keys",
    operationId: "getCompanyKey",
    summary: "Show the company's key without its text",
    description: "`POST /api_keys` returns the text, to owners and operators.",
    response: {
      schema: z.object({ key: orNull(keySchema) }).openapi("CompanyKeyResponse"),
      example: { key: keyExample },
    },
    document: KEY_SETTINGS,
  }, async (_, { caller: { companyId }, sql }) => {
    const row = await readCurrentKey(sql, companyId);
    return { key: row ? showRow(keySchema, row) : null };
  });
}
