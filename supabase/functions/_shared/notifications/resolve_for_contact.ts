import { checkMediaUrl, type MediaHeader } from "../placeholders/check_media_url.ts";
import { resolveValues } from "../placeholders/resolve_values.ts";

const MEDIA_HEADERS: readonly string[] = [
  "header_image",
  "header_video",
  "header_document",
] satisfies MediaHeader[];

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
    if (MEDIA_HEADERS.includes(name)) checkMediaUrl(name as MediaHeader, value);
  }
  return resolved;
}
