import { PlatformError } from "../errors/platform_error.ts";
import type { Platform } from "../platform.ts";

/**
 * Deletes a template by name in all its languages, or the one with `id`. Disabled ones cannot be deleted. The
 * name of one that was approved stays blocked for 30 days.
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
