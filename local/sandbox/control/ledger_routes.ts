import type { SandboxApp } from "../http/sandbox_app.ts";
import type { Platform } from "../platform.ts";
import { compactJournal } from "../storage/compact_journal.ts";
import { readLimit } from "./read_limit.ts";

const DEFAULT_LIMIT = 1000;
/** Bubbles shown on each phone of the page. */
const PHONE_DEPTH = 30;

/** `GET` and `DELETE /sandbox/messages`, `GET /sandbox/stats`, `GET /sandbox/phones` (what the page starts with). */
export function registerLedgerRoutes(app: SandboxApp, platform: Platform): void {
  app.get("/sandbox/messages", (c) => {
    const { to, ref, after } = c.req.query();
    const data = platform.ledger.find({ to, ref, after, limit: readLimit(c, DEFAULT_LIMIT) });
    return c.json({ data, total: platform.ledger.size });
  });
  app.delete("/sandbox/messages", (c) => {
    const removed = platform.ledger.size;
    forgetMessages(platform);
    return c.json({ removed });
  });
  app.get("/sandbox/stats", (c) => c.json(stats(platform)));
  app.get("/sandbox/phones", (c) => {
    const search = (c.req.query("search") ?? "").replace(/\D/g, "");
    return c.json({
      last_event_id: platform.events.lastId,
      phones: platform.ledger.phones(search, readLimit(c, 50), PHONE_DEPTH),
      stats: stats(platform),
    });
  });
}

function stats({ counters, ledger, sender }: Platform) {
  return { ...counters, messages: ledger.size, phones: ledger.phoneCount, webhooks: sender.counters };
}

function forgetMessages(platform: Platform): void {
  platform.ledger.clear();
  platform.delivery.clear();
  compactJournal(platform.journal, platform.ledger, platform.voice.ledger);
  platform.events.publish({ kind: "cleared" });
}
