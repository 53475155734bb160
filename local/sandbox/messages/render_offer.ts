import { PlatformError } from "../http/platform_error.ts";
import type { TemplateComponent } from "../options.ts";
import type { SendComponent } from "./send.ts";

/** A limited-time offer as the person sees it. */
export interface RenderedOffer {
  text: string;
  /** ISO 8601; null for an offer that shows no end. */
  expires_at: string | null;
}

/** Fills a limited-time offer. Throws 132012 for one too many, 131008 without its end, 131009 for an end that is over. */
export function renderOffer(
  component: TemplateComponent | undefined,
  given: Extract<SendComponent, { type: "limited_time_offer" }> | undefined,
): RenderedOffer | undefined {
  const offer = component?.limited_time_offer;
  const ends = offer?.has_expiration === true;
  if (given !== undefined && !ends) {
    throw new PlatformError(132012, "limited_time_offer: the template has no offer with an end");
  }
  if (offer === undefined) return undefined;
  if (!ends) return { text: offer.text, expires_at: null };
  const [parameter, ...more] = given?.parameters ?? [];
  if (parameter === undefined) {
    throw new PlatformError(131008, "limited_time_offer: the parameter expiration_time_ms is required");
  }
  if (more.length > 0) throw new PlatformError(132000, "limited_time_offer: takes one parameter");
  if (parameter.type !== "limited_time_offer") {
    const received = parameter.type.toUpperCase();
    throw new PlatformError(
      132012,
      `limited_time_offer: Format mismatch, expected LIMITED_TIME_OFFER, received ${received}`,
    );
  }
  const end = parameter.limited_time_offer.expiration_time_ms;
  if (end <= Date.now() || end > MAX_TIME_MS) {
    throw new PlatformError(
      131009,
      "limited_time_offer: expiration_time_ms must be in the future, in milliseconds",
    );
  }
  return { text: offer.text, expires_at: new Date(end).toISOString() };
}

/** The end of the year 9999. */
const MAX_TIME_MS = 253_402_300_799_999;
