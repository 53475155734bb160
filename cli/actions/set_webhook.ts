import type { Sealer } from "../../supabase/functions/_shared/crypto/seal.ts";
import { webhookSecretOf } from "../../supabase/functions/_shared/crypto/secret_owner.ts";
import type { Sql } from "../../supabase/functions/_shared/db/connect.ts";
import type { EventType } from "../../supabase/functions/_shared/events_out/event_types.ts";
import { newSigningSecret } from "../../supabase/functions/_shared/events_out/signing_secret.ts";
import { checkEndpointUrl } from "../../supabase/functions/_shared/gateways/webhook_endpoint/check_endpoint_url.ts";
import { CommandError } from "../command_error.ts";
import { refuseOnConstraint } from "./refuse_on_constraint.ts";
import { unknownCompany } from "./unknown_company.ts";

export interface WebhookContext {
  sql: Sql;
  sealer: Sealer;
  /** Whether endpoints may be on this machine, in private networks, and without TLS. */
  allowPrivateWebhooks: boolean;
}

export interface SetWebhook {
  companyId: string;
  url: string;
  /** All of them when absent. */
  eventTypes?: EventType[] | undefined;
}

/**
 * Gives a company a webhook, or changes the one it has and switches it on again. The secret is made with the first one
 * and answered then only; later changes keep it.
 *
 * @throws {CommandError} `bad_value` for a URL that events may not go to, `not_found`
 */
export async function setWebhook(
  { sql, sealer, allowPrivateWebhooks }: WebhookContext,
  { companyId, url, eventTypes }: SetWebhook,
): Promise<{ companyId: string; url: string; eventTypes: EventType[] | null; secret: string | null }> {
  const checked = checkEndpointUrl(url, { allowPrivate: allowPrivateWebhooks });
  if (typeof checked === "string") throw new CommandError("bad_value", `The URL is refused: ${checked}`);
  const secret = newSigningSecret();
  const sealed = await sealer.seal(secret, webhookSecretOf(companyId));
  const types = eventTypes ?? null;
  const [row] = await refuseOnConstraint(
    sql<{ isNew: boolean }[]>`
      insert into outbound.webhooks as w (company_id, url, event_types, secret_sealed)
      values (${companyId}, ${checked.href}, ${types}, ${sealed})
      on conflict on constraint webhooks_pkey do update
        set url = excluded.url, event_types = excluded.event_types, is_active = true, stopped_reason = null,
          failures = 0, updated_at = now()
      returning w.secret_sealed = ${sealed} as "isNew"`,
    { webhooks_company_fkey: () => unknownCompany(companyId) },
  );
  return { companyId, url: checked.href, eventTypes: types, secret: row!.isNew ? secret : null };
}
