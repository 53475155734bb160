import type { Sealer } from "../../supabase/functions/_shared/crypto/seal.ts";
import { webhookSecretOf } from "../../supabase/functions/_shared/crypto/secret_owner.ts";
import type { Sql } from "../../supabase/functions/_shared/db/connect.ts";
import { newSigningSecret } from "../../supabase/functions/_shared/events_out/signing_secret.ts";
import { noWebhook } from "./no_webhook.ts";

/**
 * Gives a company's webhook a new secret. For 24 hours events are signed with the old one too; the one before that
 * ends now.
 *
 * @throws {CommandError} `not_found`
 */
export async function rotateWebhookSecret(
  { sql, sealer }: { sql: Sql; sealer: Sealer },
  { companyId }: { companyId: string },
): Promise<{ companyId: string; secret: string; oldSecretUntil: Date }> {
  const secret = newSigningSecret();
  const sealed = await sealer.seal(secret, webhookSecretOf(companyId));
  const [row] = await sql<{ oldSecretUntil: Date }[]>`
    update outbound.webhooks
    set secret_sealed = ${sealed}, old_secret_sealed = secret_sealed,
      old_secret_until = now() + interval '24 hours', updated_at = now()
    where company_id = ${companyId}
    returning old_secret_until as "oldSecretUntil"`;
  if (!row) throw await noWebhook(sql, companyId);
  return { companyId, secret, ...row };
}
