import { cellOfCompany } from "../_shared/cells.ts";
import { recordRefusedEvents } from "../_shared/db/queue/platform_events.ts";
import { readReference, type Reference } from "../_shared/dispatching/reference.ts";
import { parseWebhook } from "../_shared/gateways/whatsapp/parse_webhook.ts";
import { type Services, servicesOfCell } from "../_shared/services.ts";

/** One refused body is read per this time, however many strangers send. */
const READ_EVERY_MS = 1000;
const MAX_BYTES = 1024 * 1024;
const MAX_REFERENCES = 100;
const LOG_EVERY_MS = 600_000;

/**
 * Makes the function that records refused events of the platform, whose signature did not match: our secret may be
 * wrong, and then missing events are no evidence. Any caller can post a wrong signature, so a body counts only if it
 * holds a reference to a notification of ours, which strangers do not know. A stranger causes at most one reading per
 * second, and a query only with references of the right form.
 *
 * @returns a function that receives the body of each refused request
 */
export function createRefusalRecorder(services: Services): (body: Uint8Array) => void {
  const { log, metrics, now } = services;
  let nextReadAt = 0;
  const loggedAt = new Map<string, number>();

  async function record(references: Reference[]): Promise<void> {
    const byCell = Map.groupBy(
      references,
      ({ companyId }) => servicesOfCell(services, cellOfCompany(companyId)),
    );
    const accounts = await Promise.all([...byCell].map(([{ sql }, part]) => recordRefusedEvents(sql, part)));
    for (const { company_id, waba_id } of accounts.flat()) {
      metrics.eventsRefused.add(["whatsapp"]);
      const at = now().getTime();
      if (at - (loggedAt.get(waba_id) ?? -Infinity) < LOG_EVERY_MS) continue;
      loggedAt.set(waba_id, at);
      log.error("events of the platform are refused: their signature does not match", {
        ...{ company_id, waba_id },
        check: "WHATSAPP_APP_SECRET must be the secret of the app that sends them",
      });
    }
  }

  return (body) => {
    const at = now().getTime();
    if (body.byteLength > MAX_BYTES || at < nextReadAt) return;
    nextReadAt = at + READ_EVERY_MS;
    const references = referencesIn(body);
    if (references.length > 0) services.inBackground(record(references));
  };
}

function referencesIn(body: Uint8Array): Reference[] {
  try {
    const { statuses } = parseWebhook(JSON.parse(new TextDecoder().decode(body)));
    return statuses.slice(0, MAX_REFERENCES).flatMap(({ reference }) => readReference(reference) ?? []);
  } catch {
    return [];
  }
}
