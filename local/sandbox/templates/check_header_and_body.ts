import { checkTemplateText, refuseTemplate } from "./check_components.ts";
import type { TemplateBody, TemplateBodyComponent } from "./template_body.ts";
import { variablesOf } from "./template_text.ts";
import { fitsFormat } from "./uploads.ts";

const MAX_HEADER = 60;

/** Checks the body of a template or of a card. */
export function checkBody(
  component: TemplateBodyComponent,
  format: TemplateBody["parameter_format"],
  maxLength: number,
): void {
  if (!component.text?.trim()) refuseTemplate("Body format is not valid", "body: text is required");
  checkTemplateText(component.text, {
    component: "body",
    format,
    maxLength,
    examples: bodyExamples(component, format),
  });
}

/** Checks the header of a template or of a card. */
export function checkHeader(header: TemplateBodyComponent, format: TemplateBody["parameter_format"]): void {
  if (header.format === undefined) refuseTemplate("Header format is not valid", "header: format is required");
  if (header.format === "LOCATION") return;
  if (header.format !== "TEXT") {
    if (header.text !== undefined) {
      refuseTemplate("Header format is not valid", "header: only TEXT has a text");
    }
    const [handle, ...more] = header.example?.header_handle ?? [];
    if (handle !== undefined && more.length === 0 && fitsFormat(handle, header.format)) return;
    refuseTemplate(
      "Header format is not valid",
      `header: ${header.format} needs one example.header_handle, of an uploaded file that fits`,
    );
  }
  const text = header.text ?? "";
  if (text.trim() === "" || variablesOf(text).length > 1 || /[\n*~_]/.test(text)) {
    refuseTemplate(
      "Header format is not valid",
      "header: a text without line breaks, formatting and a second variable",
    );
  }
  checkTemplateText(text, {
    component: "header",
    format,
    maxLength: MAX_HEADER,
    examples: headerExamples(header, format),
  });
}

function headerExamples({ example }: TemplateBodyComponent, format: TemplateBody["parameter_format"]) {
  return format === "NAMED" ? byName(example?.header_text_named_params) : byPosition(example?.header_text);
}

function bodyExamples({ example }: TemplateBodyComponent, format: TemplateBody["parameter_format"]) {
  return format === "NAMED" ? byName(example?.body_text_named_params) : byPosition(example?.body_text?.[0]);
}

function byPosition(values: string[] = []): Map<string, string> {
  return new Map(values.map((value, index) => [String(index + 1), value]));
}

function byName(values: { param_name: string; example: string }[] = []): Map<string, string> {
  return new Map(values.map(({ param_name, example }) => [param_name, example]));
}
