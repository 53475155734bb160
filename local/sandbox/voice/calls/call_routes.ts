import type { Context } from "hono";
import { ControlError, readLimit } from "../../control/control_request.ts";
import type { SandboxApp } from "../../http/sandbox_app.ts";
import { compactJournal } from "../../journal/compact_journal.ts";
import type { Platform } from "../../platform.ts";
import type { VoicePlatform } from "../voice_platform.ts";
import { applyManualAction, type ManualAction } from "./manual_action.ts";

/** Calls shown on each phone of the page. */
const PHONE_DEPTH = 10;
const MANUAL_ACTIONS: readonly ManualAction[] = ["answer", "reject", "hangup"];

/** Registers `GET` and `DELETE /sandbox/calls`, the manual actions, `GET /sandbox/voice/stats` and `/phones`. */
export function registerCallRoutes(app: SandboxApp, platform: Platform): void {
  const { voice } = platform;
  app.get("/sandbox/calls", (c) => {
    const { to, ref, agent, account, status, outcome, after } = c.req.query();
    const filter = { to, ref, agent, account, status, outcome, after, limit: readLimit(c, 1000) };
    return c.json({ data: voice.ledger.find(filter), total: voice.ledger.size });
  });
  app.get("/sandbox/calls/:id", (c) => c.json(callOf(voice, c).call));
  app.delete("/sandbox/calls", (c) => {
    const removed = voice.ledger.size;
    voice.ledger.clear();
    voice.runner.clear();
    voice.slots.clear();
    compactJournal(platform);
    voice.events.publish({ kind: "calls_cleared" });
    return c.json({ removed });
  });
  for (const action of MANUAL_ACTIONS) {
    app.post(`/sandbox/calls/:id/${action}`, (c) => {
      const stored = callOf(voice, c);
      if (!applyManualAction(voice, stored, action)) {
        throw new ControlError(409, `The call is ${stored.call.status}: ${action} is not possible`);
      }
      return c.json(stored.call);
    });
  }
  app.get("/sandbox/voice/stats", (c) => c.json(stats(voice)));
  app.get("/sandbox/voice/phones", (c) => {
    const search = (c.req.query("search") ?? "").replace(/\D/g, "");
    return c.json({
      last_event_id: voice.events.lastId,
      phones: voice.ledger.phones(search, readLimit(c, 50), PHONE_DEPTH),
      stats: stats(voice),
    });
  });
}

function callOf(voice: VoicePlatform, c: Context) {
  const stored = voice.ledger.get(c.req.param("id")!);
  if (stored === undefined) throw new ControlError(404, "There is no call with this id");
  return stored;
}

function stats({ counters, ledger, sender, slots, accounts }: VoicePlatform) {
  return {
    ...counters,
    calls: ledger.size,
    phones: ledger.phoneCount,
    ...slots.all(),
    accounts: Object.fromEntries(accounts.list().map(({ id }) => [id, slots.of(id)])),
    webhooks: sender.counters,
  };
}
