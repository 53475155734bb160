import { newPublishableKey } from "../../_shared/access/new_keys.ts";
import { insertPublishableKey } from "../../_shared/db/access/publishable_keys.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { addCompanyRoute } from "../company_route.ts";
import { publishableKeyExample, publishableKeySchema } from "./publishable_key.ts";
import { showRow } from "../../_shared/http/app/show_row.ts";

/** `POST …/keys/publishable` creates a key for web pages. */
export function registerPostPublishable(app: App): void {
  addCompanyRoute(app, {
    method: "post",
    path: "/keys/publishable",
    operationId: "createPublishableKey",
    summary: "Create a key for web pages",
    response: { schema: publishableKeySchema, example: publishableKeyExample },
  }, async (c, { caller: { companyId, by } }) => {
    return showRow(
      publishableKeySchema,
      await insertPublishableKey(c.get("services").sql, companyId, newPublishableKey(companyId), by),
    );
  });
}
