import { z } from "zod";
import { addAccount } from "../add_account.ts";
import type { SandboxApp } from "../http/sandbox_app.ts";
import type { SandboxAccount } from "../options.ts";
import type { Platform } from "../platform.ts";
import { settingsSchema } from "../settings.ts";
import { reviewTemplate } from "../templates/review_template.ts";
import { setTemplateStatus } from "../templates/set_template_status.ts";
import { registerAccountEventRoutes } from "./account_event_routes.ts";
import { accountBodySchema } from "./account_body.ts";
import { ControlError } from "./control_error.ts";
import { registerEventRoute } from "./event_route.ts";
import { faultRuleSchema } from "./fault.ts";
import { registerFaultRoutes } from "./fault_routes.ts";
import { registerLedgerRoutes } from "./ledger_routes.ts";
import { readControlBody } from "./read_control_body.ts";

const statusBody = z.strictObject({
  status: z.string().regex(/^[A-Z_]+$/),
  reason: z.string().min(1).optional(),
});

/** Everything under `/sandbox`: what the platform does not have, for tests and for the page. */
export function registerControlRoutes(app: SandboxApp, platform: Platform): void {
  registerFaultRoutes(app, {
    path: "/sandbox/faults",
    faults: platform.faults,
    schema: faultRuleSchema,
    tell: () => platform.events.publish({ kind: "faults", faults: structuredClone(platform.faults.list()) }),
  });
  registerLedgerRoutes(app, platform);
  registerEventRoute(app, platform);
  registerSettingsRoutes(app, platform);
  registerAccountRoutes(app, platform);
  registerAccountEventRoutes(app, platform);
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
