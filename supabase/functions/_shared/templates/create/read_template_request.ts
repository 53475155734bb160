import { checkFields } from "../../check_fields.ts";
import type { TemplateComponent } from "../template.ts";
import { readAuthentication, readButtons } from "./read_buttons.ts";
import { readBody, readFooter, readHeader, type SampleFile } from "./read_text_parts.ts";
import { type ComponentsRequest, templateRequestSchema } from "./template_request.ts";

/** A new template that keeps every rule of the platform we know of, in the platform's own shape. */
export interface NewTemplate {
  name: string;
  language: string;
  category: "MARKETING" | "UTILITY" | "AUTHENTICATION";
  components: TemplateComponent[];
  /** A file to upload; its handle goes into the header's example. */
  sample: SampleFile | null;
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
  const read = category === "AUTHENTICATION"
    ? { components: readAuthentication(request.components_template), sample: null }
    : readComponents(request.components_template);
  return {
    companyId: request.company_id,
    wabaId: request.waba_id,
    template: { name: request.name_template, language: request.language_template, category, ...read },
  };
}

function readComponents(
  { HEADER, BODY, FOOTER, BUTTONS = [] }: ComponentsRequest,
): Pick<NewTemplate, "components" | "sample"> {
  const header = HEADER && readHeader(HEADER);
  const components = [
    ...(header ? [header.component] : []),
    readBody(BODY),
    ...(FOOTER ? [readFooter(FOOTER)] : []),
    ...(BUTTONS.length > 0 ? [readButtons(BUTTONS)] : []),
  ];
  return { components, sample: header?.sample ?? null };
}
