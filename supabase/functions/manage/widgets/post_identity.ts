import { identitySecretOf } from "../../_shared/crypto/seal.ts";
import { replaceIdentitySecret } from "../../_shared/db/people/identity_secrets.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { showRow } from "../../_shared/http/app/show_row.ts";
import { newIdentitySecret } from "../../_shared/people/visitor_identity.ts";
import { checkedSealer } from "../checked_sealer.ts";
import { addCompanyRoute } from "../company_route.ts";
import { IDENTITY_SECRET_EXAMPLE, identitySecretSchema } from "./get_identity.ts";

/** `POST …/widgets/identity` makes a new secret for signed visitors. */
export function registerPostIdentity(app: App): void {
  addCompanyRoute(app, {
    method: "post",
    path: "/widgets/identity",
    operationId: "rotateIdentitySecret",
    summary: "Make the secret that your website signs its visitors with, or replace it",
    description: "The former one ends at once: signatures that it made are refused.",
    response: { schema: identitySecretSchema, example: IDENTITY_SECRET_EXAMPLE },
  }, async (c, { caller: { companyId, by } }) => {
    const services = c.get("services");
    const sealer = await checkedSealer(services);
    const secret = newIdentitySecret();
    const sealed = await sealer.seal(secret, identitySecretOf(companyId));
    const { created_at } = await replaceIdentitySecret(services.sql, companyId, sealed, by);
    return showRow(identitySecretSchema, { secret, created_at });
  });
}
