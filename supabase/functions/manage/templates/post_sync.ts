import { z } from "@hono/zod-openapi";
import { isTestCompany } from "../../_shared/db/access/test_companies.ts";
import { AppError } from "../../_shared/errors.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { tooManyPerMinute } from "../../_shared/http/guards/limits.ts";
import { syncCompany } from "../../_shared/templates/sync_accounts.ts";
import { addCompanyRoute } from "../company_route.ts";

/** Per company and minute: each one lists all templates at the platform, which limits that. */
const MAX_SYNCS = 6;

const count = z.number().int().min(0);

const accountSchema = z.object({
  waba_id: z.string(),
  templates: count.openapi({ description: "On the platform" }),
  changed: count.openapi({ description: "Our copies that differed" }),
  error: z.string().nullable().openapi({ description: "Why the account could not be read" }),
});

/** `POST …/templates/sync` updates our copies of a company's templates from the platform. */
export function registerPostSync(app: App): void {
  addCompanyRoute(app, {
    method: "post",
    path: "/templates/sync",
    operationId: "syncTemplates",
    summary: "Update the templates from the platform",
    description: "An account that cannot be read does not delay the others.",
    response: {
      schema: z.object({ accounts: z.array(accountSchema) }).openapi("SyncedTemplates"),
      example: { accounts: [{ waba_id: "102290129340398", templates: 12, changed: 1, error: null }] },
    },
  }, async (c, { caller: { companyId, by } }) => {
    const { sql, sealer, env, perMinute } = c.get("services");
    if (await isTestCompany(sql, companyId)) {
      const message =
        "A test company has the templates of its live company, as of when that last synced them";
      throw new AppError("validation_failed", message);
    }
    const waitS = perMinute.count(`sync:${companyId}`, MAX_SYNCS);
    if (waitS > 0) throw tooManyPerMinute(c, "Too many syncs of templates", { limit: MAX_SYNCS, waitS });
    const whatsapp = { apiUrl: env.WHATSAPP_API_URL, apiVersion: env.WHATSAPP_API_VERSION };
    const accounts = await syncCompany({ sql, sealer, whatsapp }, companyId, by);
    return {
      accounts: accounts.map(({ wabaId, templates, changed, error }) => ({
        waba_id: wabaId,
        templates,
        changed,
        error,
      })),
    };
  });
}
