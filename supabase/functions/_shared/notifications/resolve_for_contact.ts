import { checkMediaUrl, isMediaHeader } from "../placeholders/check_media_url.ts";
import { resolveValues } from "../placeholders/resolve_values.ts";

/**
 * The texts to send to one contact, media URLs checked.
 *
 * Throws `validation_failed` naming the value that does not do.
 */
export function resolveForContact(
  values: Record<string, string>,
  contact: Record<string, unknown>,
  root: Record<string, unknown>,
): Record<string, string> {
  const resolved = resolveValues(values, contact, root);
  for (const [name, value] of Object.entries(resolved)) {
    if (isMediaHeader(name)) checkMediaUrl(name, value);
  }
  return resolved;
}
