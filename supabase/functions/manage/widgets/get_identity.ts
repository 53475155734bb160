import { z } from "@hono/zod-openapi";
import { writeAudit } from "../../_shared/db/access/audit.ts";
import { identitySecretOf } from "../../_shared/crypto/seal.ts";
import { readIdentitySecret } from "../../_shared/db/people/identity_secrets.ts";
import { AppError } from "../../_shared/errors.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { showRow } from "../../_shared/http/app/show_row.ts";
import { checkedSealer } from "../checked_sealer.ts";
import { addCompanyRoute } from "../company_route.ts";

/** The secret that a website signs its visitors with. */
export const identitySecretSchema = z.object({ secret: z.string(), created_at: z.iso.datetime() })
  .openapi("IdentitySecret");

/** Of it, for the API document. */
export const IDENTITY_SECRET_EXAMPLE = { secret: "idsec_…", created_at: "2026-12-01T09:00:00Z" };

/** `GET …/widgets/identity` shows the secret of signed visitors. */
export function registerGetIdentity(app: App): void {
  addCompanyRoute(app, {
    method: "get",
    path: "/widgets/identity",
    operationId: "getIdentitySecret",
    summary: "Show the secret that your website signs its visitors with",
    description: "Not found (404) until one was made.",
    response: { schema: identitySecretSchema, example: IDENTITY_SECRET_EXAMPLE },
  }, async (c, { caller: { companyId, by } }) => {
    const services = c.get("services");
    const stored = await readIdentitySecret(services.sql, companyId);
    if (stored === undefined) throw new AppError("not_found", "This company has no secret for identities");
    const sealer = await checkedSealer(services);
    const secret = await sealer.open(stored.secret_sealed, identitySecretOf(companyId));
    await writeAudit(services.sql, companyId, { ...by, action: "identity_secret.shown" });
    return showRow(identitySecretSchema, { secret, created_at: stored.created_at });
  });
}
