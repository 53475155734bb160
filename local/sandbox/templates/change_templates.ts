import { PlatformError } from "../http/platform_error.ts";
import { parseStrictly } from "../http/read_body.ts";
import type { SandboxTemplate } from "../options.ts";
import type { Platform } from "../platform.ts";
import { refuseTemplate } from "./check_components.ts";
import { checkTemplate } from "./check_template.ts";
import { expandAuthentication } from "./expand_authentication.ts";
import { type TemplateBody, templateBodySchema } from "./template_body.ts";
import type { StoredTemplate } from "./template_store.ts";

/** The maximum of templates of an unverified account. */
export const MAX_TEMPLATES = 250;

/** Accepts a new template for review (PENDING), or throws the platform's refusal. */
export function createTemplate(platform: Platform, wabaId: string, value: unknown): StoredTemplate {
  const body = expandAuthentication(parseStrictly(templateBodySchema, value));
  checkTemplate(body);
  checkAgainstOthers(platform, wabaId, body);
  const template = platform.templates.put(
    wabaId,
    JSON.parse(JSON.stringify({ ...body, status: "PENDING", ...reviewTime(platform) })) as SandboxTemplate,
  );
  platform.journal.write({ t: "template", waba_id: wabaId, template });
  platform.events.publish({ kind: "template", waba_id: wabaId, template });
  platform.reviews.start(template);
  return template;
}

function reviewTime({ settings }: Platform): { review_at?: number } {
  return settings.review_ms === null ? {} : { review_at: Date.now() + settings.review_ms };
}

function checkAgainstOthers({ templates }: Platform, wabaId: string, body: TemplateBody): void {
  const others = templates.list(wabaId);
  if (templates.find(wabaId, body.name, body.language) !== undefined) {
    refuseTemplate("Message template already exists", `${body.name} already exists in ${body.language}`);
  }
  if (templates.isBlocked(wabaId, body.name, Date.now())) {
    refuseTemplate("Message template name is blocked", `${body.name} was deleted less than 30 days ago`);
  }
  if (others.length >= MAX_TEMPLATES) {
    refuseTemplate("Message template limit reached", `the account has ${MAX_TEMPLATES} templates`);
  }
  const own = body.category === "AUTHENTICATION" ? [] : others;
  if (own.some((other) => other.name !== body.name && wordingOf(other) === wordingOf(body))) {
    refuseTemplate("Message template already exists", "another template has the same body and footer");
  }
}

function wordingOf({ components }: { components: { type: string; text?: string | undefined }[] }): string {
  const text = (type: string) => components.find((component) => component.type === type)?.text ?? "";
  return JSON.stringify([text("BODY"), text("FOOTER")]);
}

/**
 * Deletes a template by name in all its languages, or the one with `id`. Throws for a disabled one. The name of an
 * approved one stays blocked for 30 days.
 */
export function deleteTemplates(
  platform: Platform,
  wabaId: string,
  name: string,
  id: string | undefined,
): void {
  const found = platform.templates.list(wabaId)
    .filter((template) => template.name === name && (id === undefined || template.id === id));
  if (found.length === 0) throw new PlatformError(100, `There is no template named ${name}`);
  if (found.some((template) => template.status === "DISABLED")) {
    throw new PlatformError(100, `The template ${name} is disabled and cannot be deleted`);
  }
  for (const template of found) {
    const blocked_until = platform.templates.remove(template.id, Date.now());
    platform.journal.write({ t: "template_removed", waba_id: wabaId, id: template.id, blocked_until });
    platform.events.publish({ kind: "template", id: template.id, removed: true });
  }
}
