import { findComponent } from "../template_texts.ts";
import { OFFER_END } from "../value_names.ts";
import type { PartSource, TemplatePart } from "./template_part.ts";

/** Returns the limited-time offer of a template, if it shows when it ends. */
export function limitedTimeOfferPart({ components }: PartSource): TemplatePart[] {
  const offer = findComponent(components, "LIMITED_TIME_OFFER")?.limited_time_offer;
  if (Object(offer).has_expiration !== true) return [];
  return [{
    values: [{ name: OFFER_END, isRequired: true }],
    build: (values) => [{
      type: "limited_time_offer",
      parameters: [{
        type: "limited_time_offer",
        limited_time_offer: { expiration_time_ms: Date.parse(values[OFFER_END]!) },
      }],
    }],
  }];
}
