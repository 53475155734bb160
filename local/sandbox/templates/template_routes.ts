import type { Context } from "hono";
import { unknownObject } from "../accounts/accounts.ts";
import { PlatformError } from "../http/platform_error.ts";
import { pageOf, pickFields } from "../http/graph_objects.ts";
import { readJson } from "../http/read_body.ts";
import type { SandboxApp, SandboxEnv } from "../http/sandbox_app.ts";
import type { Platform } from "../platform.ts";
import { createTemplate, deleteTemplates } from "./change_templates.ts";
import {
  matchesFilters,
  OTHER_TEMPLATE_FIELDS,
  summaryOf,
  TEMPLATE_FIELDS,
  templateView,
} from "./template_view.ts";

/** Registers `GET`, `POST` and `DELETE /{waba_id}/message_templates`. */
export function registerTemplateRoutes(app: SandboxApp, platform: Platform): void {
  const path = "/:id{\\d+}/message_templates";
  app.get(path, (c) => c.json(listTemplates(platform, c)));
  app.post(path, async (c) => {
    const wabaId = authorizedAccount(platform, c);
    const { id, status, category } = createTemplate(platform, wabaId, await readJson(c));
    return c.json({ id, status, category });
  });
  app.delete(path, (c) => {
    const name = c.req.query("name");
    if (name === undefined) throw new PlatformError(100, "The parameter name is required");
    deleteTemplates(platform, authorizedAccount(platform, c), name, c.req.query("hsm_id"));
    return c.json({ success: true });
  });
}

function listTemplates(platform: Platform, c: Context<SandboxEnv>) {
  const all = platform.templates.list(authorizedAccount(platform, c));
  const found = all.filter((template) => matchesFilters(template, c.req.query()));
  const page = pageOf(found.map(templateView), c.req.url);
  const summary = c.req.query("summary");
  return {
    ...page,
    data: page.data.map((view) =>
      pickFields(view, c.req.query("fields"), [...TEMPLATE_FIELDS], OTHER_TEMPLATE_FIELDS)
    ),
    ...(summary !== undefined && { summary: summaryOf(summary, all.length, found.length) }),
  };
}

function authorizedAccount(platform: Platform, c: Context<SandboxEnv>): string {
  const id = c.req.param("id")!;
  const accounts = platform.accounts.authorize(c.req.header("Authorization"));
  if (!accounts.some((account) => account.wabaId === id)) throw unknownObject(id);
  return id;
}
