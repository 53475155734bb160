import { refuseTemplate } from "./check_components.ts";
import type { TemplateBody } from "./template_body.ts";
import { lengthOf } from "./template_text.ts";

const MAX_TEXT = 16;
const MAX_BODY = 600;

/** Checks the rules of a template with a limited-time offer that it does not share with others. */
export function checkOffer({ category, components }: TemplateBody): void {
  const component = components.find(({ type }) => type === "LIMITED_TIME_OFFER");
  if (component === undefined) return;
  const part = (type: string) => components.find((each) => each.type === type);
  const offer = component.limited_time_offer;
  if (category !== "MARKETING") refuse("only in the category MARKETING");
  if (offer === undefined || offer.text.trim() === "") refuse("text is required");
  if (lengthOf(offer.text) > MAX_TEXT) refuse(`text has at most ${MAX_TEXT} characters`);
  if (part("FOOTER") !== undefined) refuse("a footer is not supported");
  const format = part("HEADER")?.format;
  if (format !== undefined && format !== "IMAGE" && format !== "VIDEO") {
    refuse("the header is an IMAGE or a VIDEO");
  }
  if (lengthOf(part("BODY")?.text ?? "") > MAX_BODY) refuse(`the body has at most ${MAX_BODY} characters`);
  const kinds = (part("BUTTONS")?.buttons ?? []).map(({ type }) => type);
  if (!kinds.includes("URL")) refuse("a URL button is required");
  if (offer.has_expiration && !kinds.includes("COPY_CODE")) {
    refuse("an offer with an end needs a COPY_CODE button");
  }
  if (kinds.indexOf("COPY_CODE") > 0) refuse("the COPY_CODE button comes first");
}

function refuse(rule: string): never {
  refuseTemplate("Invalid parameter", `limited_time_offer: ${rule}`);
}
