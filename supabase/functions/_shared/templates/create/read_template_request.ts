import { checkFields } from "../../check_fields.ts";
import type { TemplateComponent } from "../template.ts";
import { readAuthentication, readButtons, requireAbsent } from "./read_buttons.ts";
import { readCarousel } from "./read_carousel.ts";
import { readOffer } from "./read_offer.ts";
import { readBody, readFooter, readHeader } from "./read_text_parts.ts";
import { type ComponentsRequest, templateRequestSchema } from "./template_request.ts";

/** A new template that keeps every rule of the platform we know of, in the platform's own shape. */
export interface NewTemplate {
  name: string;
  language: string;
  category: "MARKETING" | "UTILITY" | "AUTHENTICATION";
  /** The sample of a media header may be the URL of a file that is still to be uploaded. */
  components: TemplateComponent[];
}

/** Where a new template goes, and what it is. */
export interface TemplateOrder {
  companyId: string;
  wabaId: string;
  template: NewTemplate;
}

/**
 * Reads the body of `POST /admin/chatapp/create/template`.
 *
 * Throws `validation_failed` for the first rule that is broken; `details.field` is its path, such as
 * `components_template.BUTTONS[1].url`.
 */
export function readTemplateRequest(body: unknown): TemplateOrder {
  const request = checkFields(templateRequestSchema, body);
  const category = request.category_template;
  const components = category === "AUTHENTICATION"
    ? readAuthentication(request.components_template)
    : readComponents(request.components_template, category);
  return {
    companyId: request.company_id,
    wabaId: request.waba_id,
    template: { name: request.name_template, language: request.language_template, category, components },
  };
}

const FIELD = "components_template";
const MAX_BODY_LENGTH = 1024;

function readComponents(request: ComponentsRequest, category: "MARKETING" | "UTILITY"): TemplateComponent[] {
  const { HEADER, BODY, FOOTER, LIMITED_TIME_OFFER, BUTTONS = [], CAROUSEL } = request;
  if (category !== "MARKETING") {
    requireAbsent({ LIMITED_TIME_OFFER, CAROUSEL }, "only in templates of category MARKETING");
  }
  if (CAROUSEL) {
    requireAbsent({ HEADER, FOOTER, LIMITED_TIME_OFFER, BUTTONS: request.BUTTONS }, "not beside a CAROUSEL");
  }
  return [
    ...(HEADER ? [readHeader(HEADER, `${FIELD}.HEADER`)] : []),
    ...(LIMITED_TIME_OFFER ? [readOffer(LIMITED_TIME_OFFER, request)] : []),
    readBody(BODY, `${FIELD}.BODY`, MAX_BODY_LENGTH),
    ...(FOOTER ? [readFooter(FOOTER)] : []),
    ...(BUTTONS.length > 0 ? [readButtons(BUTTONS, `${FIELD}.BUTTONS`)] : []),
    ...(CAROUSEL ? [readCarousel(CAROUSEL.cards)] : []),
  ];
}
