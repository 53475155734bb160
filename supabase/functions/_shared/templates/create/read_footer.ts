import { badFormat } from "../../errors.ts";
import type { TemplateComponent } from "../template.ts";
import { readStaticText, requireLength } from "./read_text.ts";
import type { FooterRequest } from "./template_request.ts";

const FIELD = "components_template.FOOTER";
const MOST = 60;

/** Reads the footer of a new template, a static text. Throws `validation_failed`. */
export function readFooter(footer: FooterRequest): TemplateComponent {
  if (footer.code_expiration_minutes !== undefined) {
    const field = `${FIELD}.code_expiration_minutes`;
    throw badFormat(field, footer.code_expiration_minutes, "only in templates of category AUTHENTICATION");
  }
  const text = readStaticText(`${FIELD}.text`, footer.text, "a footer is the same for everybody");
  requireLength(`${FIELD}.text`, text, MOST);
  return { type: "FOOTER", text };
}
