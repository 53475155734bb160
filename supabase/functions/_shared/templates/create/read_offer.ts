import { badFormat } from "../../errors.ts";
import type { TemplateComponent } from "../template.ts";
import { readStaticText, requireLength } from "./read_text_parts.ts";
import type { ComponentsRequest } from "./template_request.ts";

const FIELD = "components_template.LIMITED_TIME_OFFER";
const MAX_TEXT_LENGTH = 16;
const MAX_BODY_LENGTH = 600;

/**
 * Reads the limited-time offer of a new template, and checks the parts beside it. Source: WhatsApp Cloud API, limited-time
 * offer templates. Throws `validation_failed`.
 */
export function readOffer(
  { text: given, has_expiration = false }: NonNullable<ComponentsRequest["LIMITED_TIME_OFFER"]>,
  { HEADER, BODY, FOOTER, BUTTONS = [] }: ComponentsRequest,
): TemplateComponent {
  const text = readStaticText(`${FIELD}.text`, given, "it is the same for every recipient");
  requireLength(`${FIELD}.text`, text, MAX_TEXT_LENGTH);
  if (HEADER && HEADER.format !== "IMAGE" && HEADER.format !== "VIDEO") {
    throw badFormat(
      "components_template.HEADER.format",
      HEADER.format,
      "IMAGE or VIDEO beside a LIMITED_TIME_OFFER",
    );
  }
  if (FOOTER) throw badFormat("components_template.FOOTER", FOOTER, "no footer beside a LIMITED_TIME_OFFER");
  requireLength("components_template.BODY.text", BODY.text ?? "", MAX_BODY_LENGTH);
  const kinds = BUTTONS.map(({ type }) => type);
  const refuse = (rule: string) => badFormat("components_template.BUTTONS", kinds, rule);
  if (!kinds.includes("URL")) throw refuse("a URL button beside a LIMITED_TIME_OFFER");
  if (has_expiration && !kinds.includes("COPY_CODE")) {
    throw refuse("a COPY_CODE button for an offer with an end");
  }
  if (kinds.indexOf("COPY_CODE") > 0) throw refuse("the COPY_CODE button first");
  return { type: "LIMITED_TIME_OFFER", limited_time_offer: { text, has_expiration } };
}
