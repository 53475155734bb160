import { z } from "zod";
import { addAccount } from "../accounts/accounts.ts";
import type { SandboxApp } from "../http/sandbox_app.ts";
import { compactJournal } from "../journal/compact_journal.ts";
import { faultRuleSchema } from "../messages/send_fault.ts";
import type { SandboxAccount } from "../options.ts";
import { personView } from "../people/person.ts";
import { registerPersonRoutes } from "../people/person_routes.ts";
import type { Platform } from "../platform.ts";
import { settingsSchema } from "../settings.ts";
import { reviewTemplate, setTemplateStatus } from "../templates/template_review.ts";
import { accountBodySchema, registerAccountEventRoutes } from "./account_routes.ts";
import { ControlError, readControlBody, readLimit } from "./control_request.ts";
import { registerEventRoute } from "./events.ts";
import { registerFaultRoutes } from "./faults.ts";

const statusBody = z.strictObject({
  status: z.string().regex(/^[A-Z_]+$/),
  reason: z.string().min(1).optional(),
});

/** Registers everything under `/sandbox`: what the platform does not have, for tests and for the page. */
export function registerControlRoutes(app: SandboxApp, platform: Platform): void {
  registerFaultRoutes(app, {
    path: "/sandbox/faults",
    faults: platform.faults,
    schema: faultRuleSchema,
    publish: () =>
      platform.events.publish({ kind: "faults", faults: structuredClone(platform.faults.list()) }),
  });
  registerLedgerRoutes(app, platform);
  registerEventRoute(app, platform.events);
  registerSettingsRoutes(app, platform);
  registerAccountRoutes(app, platform);
  registerAccountEventRoutes(app, platform);
  registerPersonRoutes(app, platform);
}

function registerSettingsRoutes(app: SandboxApp, platform: Platform): void {
  app.get("/sandbox/settings", (c) => c.json(platform.settings));
  app.put("/sandbox/settings", async (c) => {
    const changes = await readControlBody(c, settingsSchema.partial());
    platform.settings = { ...platform.settings, ...changes } as Platform["settings"];
    platform.events.publish({ kind: "settings", settings: platform.settings });
    return c.json(platform.settings);
  });
}

function registerAccountRoutes(app: SandboxApp, platform: Platform): void {
  app.get(
    "/sandbox/accounts",
    (c) => c.json({ data: platform.accounts.list().map((each) => accountView(platform, each)) }),
  );
  app.post("/sandbox/accounts", async (c) => {
    const account = JSON.parse(JSON.stringify(await readControlBody(c, accountBodySchema))) as SandboxAccount;
    addAccount(platform, account);
    platform.journal.write({ t: "account", account });
    platform.events.publish({ kind: "account", account: accountView(platform, account) });
    return c.json(accountView(platform, account));
  });
  app.get("/sandbox/templates", (c) => c.json({ data: allTemplates(platform) }));
  app.put("/sandbox/templates/:id", async (c) => {
    const template = setTemplateStatus(platform, c.req.param("id"), await readControlBody(c, statusBody));
    if (template === undefined) throw new ControlError(404, "There is no template with this id");
    return c.json(template);
  });
  app.post("/sandbox/templates/:id/review", async (c) => {
    await readControlBody(c, z.strictObject({}));
    const template = reviewTemplate(platform, c.req.param("id"));
    if (template === undefined) throw new ControlError(404, "There is no template with this id");
    return c.json(template);
  });
}

function accountView({ bans }: Platform, { wabaId, numbers }: SandboxAccount) {
  return { waba_id: wabaId, numbers, banned: bans.has(wabaId) };
}

function allTemplates({ accounts, templates }: Platform) {
  return accounts.list().flatMap(({ wabaId }) =>
    templates.list(wabaId).map((template) => ({ waba_id: wabaId, ...template }))
  );
}

const DEFAULT_LIMIT = 1000;
/** Bubbles shown on each phone of the page. */
const PHONE_DEPTH = 30;

/**
 * Registers `GET` and `DELETE /sandbox/messages`, `GET /sandbox/stats` and `GET /sandbox/phones`, the page's first
 * state.
 */
function registerLedgerRoutes(app: SandboxApp, platform: Platform): void {
  app.get("/sandbox/messages", (c) => {
    const { to, ref, after } = c.req.query();
    const data = platform.ledger.find({ to, ref, after, limit: readLimit(c, DEFAULT_LIMIT) });
    return c.json({ data, total: platform.ledger.size });
  });
  app.delete("/sandbox/messages", (c) => {
    const removed = platform.ledger.size;
    deleteMessages(platform);
    return c.json({ removed });
  });
  app.get("/sandbox/stats", (c) => c.json(stats(platform)));
  app.get("/sandbox/phones", (c) => {
    const search = (c.req.query("search") ?? "").replace(/\D/g, "");
    return c.json({
      last_event_id: platform.events.lastId,
      phones: platform.ledger.phones(search, readLimit(c, 50), PHONE_DEPTH)
        .map((phone) => ({ ...phone, person: personView(platform.people.at(phone.number)) })),
      stats: stats(platform),
    });
  });
}

function stats({ counters, ledger, sender }: Platform) {
  return { ...counters, messages: ledger.size, phones: ledger.phoneCount, webhooks: sender.counters };
}

function deleteMessages(platform: Platform): void {
  platform.ledger.clear();
  platform.windows.clear();
  platform.delivery.clear();
  compactJournal(platform);
  platform.events.publish({ kind: "cleared" });
}
