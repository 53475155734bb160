import { sha256Hex } from "../crypto/sha256_hex.ts";
import type { TemplateEventRow } from "../db/provider_events.ts";
import type { TemplateEvent } from "../gateways/whatsapp/parse_webhook.ts";

const NOTHING = { status: null, reason: null, category: null, quality: null };

/** An event about a template in the names of the database. The platform repeats events: the same one has the same key. */
export function templateEventRow(event: TemplateEvent): TemplateEventRow {
  const { wabaId, name, language, at, change } = event;
  return {
    dedupe_key: sha256Hex(JSON.stringify([wabaId, name, language, at, change])),
    account_id: wabaId,
    provider_template_id: event.providerTemplateId,
    name,
    language,
    occurred_at: at,
    ...NOTHING,
    ...change,
  };
}
