import type { Context } from "hono";
import { unknownObject } from "../accounts.ts";
import { PlatformError } from "../errors/platform_error.ts";
import { pageOf } from "../http/page_of.ts";
import { pickFields } from "../http/pick_fields.ts";
import { readJson } from "../http/read_json.ts";
import type { SandboxApp, SandboxEnv } from "../http/sandbox_app.ts";
import type { Platform } from "../platform.ts";
import { createTemplate } from "./create_template.ts";
import { deleteTemplates } from "./delete_templates.ts";
import type { StoredTemplate } from "./template_store.ts";
import { TEMPLATE_FIELDS, templateView } from "./template_view.ts";

/** `GET`, `POST` and `DELETE /{waba_id}/message_templates`. */
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
  const templates = platform.templates.list(authorizedAccount(platform, c))
    .filter((template) => matches(template, c)).map(templateView);
  const page = pageOf(templates, c.req.url);
  return {
    ...page,
    data: page.data.map((view) => pickFields(view, c.req.query("fields"), [...TEMPLATE_FIELDS])),
  };
}

function matches(template: StoredTemplate, c: Context<SandboxEnv>): boolean {
  const is = (name: "name" | "status" | "language" | "category", value: string) => {
    const wanted = c.req.query(name);
    return wanted === undefined || wanted === value;
  };
  return is("name", template.name) && is("status", template.status) && is("language", template.language) &&
    is("category", template.category);
}

function authorizedAccount(platform: Platform, c: Context<SandboxEnv>): string {
  const id = c.req.param("id")!;
  const accounts = platform.accounts.authorize(c.req.header("Authorization"));
  if (!accounts.some((account) => account.wabaId === id)) throw unknownObject(id);
  return id;
}
