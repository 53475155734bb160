import { sha256Hex } from "../crypto/sha256_hex.ts";
import type { AccountEventRow } from "../db/provider_events.ts";
import type { AccountEvent } from "../gateways/whatsapp/parse_webhook.ts";

/** An event about an account in the names of the database. The platform repeats events: the same one has the same key. */
export function accountEventRow({ wabaId, at, change }: AccountEvent): AccountEventRow {
  const { messagingLimit, ...others } = change;
  return {
    dedupe_key: sha256Hex(JSON.stringify([wabaId, at, change])),
    account_id: wabaId,
    occurred_at: at,
    messaging_limit: messagingLimit,
    ...others,
  };
}
