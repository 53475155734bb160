import type { ManagedTemplate } from "../../../data/sdk.ts";
import { NUMBER } from "../draft.ts";
import { words } from "../../../i18n/words.ts";

/** Names a field of a message as a person sees it: `body_text_0` is "{{1}} in the text". */
export function fieldLabel(
  name: string,
  { components, parameter_format }: ManagedTemplate | NoTemplate,
): string {
  const { number, inBody, inHeader, parts } = words().compose;
  if (name === NUMBER) return number;
  const [, card, ofCard] = /^carousel_(\d)_(.*)$/.exec(name) ?? [];
  if (ofCard !== undefined) {
    return parts.card(
      String(Number(card) + 1),
      fieldLabel(ofCard, { components: [], parameter_format: "POSITIONAL" }),
    );
  }
  const [, bodyNumber] = /^body_text_(\d+)$/.exec(name) ?? [];
  if (bodyNumber !== undefined) {
    const body = components.find(({ type }) => type.toUpperCase() === "BODY");
    const names = [
      ...new Set(Array.from(String(body?.text ?? "").matchAll(/\{\{\s*(\w+)\s*\}\}/g), ([, each]) => each)),
    ];
    return inBody(
      parameter_format === "NAMED" ? names[Number(bodyNumber)] ?? name : String(Number(bodyNumber) + 1),
    );
  }
  const known: Record<string, string> = {
    header_text_0: inHeader,
    header_image: parts.image,
    header_video: parts.video,
    header_document: parts.document,
    header_location_latitude: parts.latitude,
    header_location_longitude: parts.longitude,
    header_location_name: parts.locationName,
    header_location_address: parts.locationAddress,
    limited_time_offer_expiration: parts.offer,
  };
  if (known[name]) return known[name];
  if (name.startsWith("buttons_url_")) return parts.link;
  if (name.startsWith("buttons_copy_code_")) return parts.code;
  return name.startsWith("buttons_quick_reply_") ? parts.payload : name;
}

type NoTemplate = Pick<ManagedTemplate, "components" | "parameter_format">;
