import { fitsFormat } from "./uploads.ts";
import { checkTemplateButtons, checkTemplateText, refuseTemplate } from "./check_components.ts";
import type { TemplateBody, TemplateBodyComponent } from "./template_body.ts";
import { lengthOf, variablesOf } from "./template_text.ts";

const MAX_NAME = 512;
const MAX_HEADER = 60;
const MAX_BODY = 1024;
const MAX_FOOTER = 60;

/** Bounds of `message_send_ttl_seconds` by category; -1 means 30 days where it is allowed. */
const TTL = { AUTHENTICATION: [30, 900], UTILITY: [30, 43_200], MARKETING: [43_200, 2_592_000] } as const;

/** Checks a new template by itself. Throws the platform's refusal (code 100 with a subcode). */
export function checkTemplate(template: TemplateBody): void {
  if (!/^[a-z0-9_]+$/.test(template.name) || template.name.length > MAX_NAME) {
    refuseTemplate("Invalid parameter", "name: only lower-case letters, digits and underscores, at most 512");
  }
  checkTtl(template);
  for (const type of ["HEADER", "BODY", "FOOTER", "BUTTONS"]) {
    const count = template.components.filter((component) => component.type === type).length;
    if (count > 1) refuseTemplate("Invalid parameter", `components: more than one ${type}`);
  }
  if (!template.components.some(({ type }) => type === "BODY")) {
    refuseTemplate("Body format is not valid", "components: a BODY is required");
  }
  for (const component of template.components) checkComponent(component, template.parameter_format);
}

function checkTtl({ category, message_send_ttl_seconds: ttl }: TemplateBody): void {
  if (ttl === undefined || (ttl === -1 && category !== "MARKETING")) return;
  const [min, max] = TTL[category];
  if (ttl < min || ttl > max) {
    refuseTemplate("Invalid parameter", `message_send_ttl_seconds: from ${min} to ${max} for ${category}`);
  }
}

function checkComponent(component: TemplateBodyComponent, format: TemplateBody["parameter_format"]): void {
  switch (component.type) {
    case "HEADER":
      return checkHeader(component, format);
    case "BODY":
      if (!component.text?.trim()) refuseTemplate("Body format is not valid", "body: text is required");
      return checkTemplateText(component.text, {
        place: "body",
        format,
        maxLength: MAX_BODY,
        examples: bodyExamples(component, format),
      });
    case "FOOTER":
      return checkFooter(component.text ?? "");
    case "BUTTONS":
      return checkTemplateButtons(component.buttons ?? []);
  }
}

function checkHeader(header: TemplateBodyComponent, format: TemplateBody["parameter_format"]): void {
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
    place: "header",
    format,
    maxLength: MAX_HEADER,
    examples: headerExamples(header, format),
  });
}

function checkFooter(text: string): void {
  if (text.trim() === "" || variablesOf(text).length > 0) {
    refuseTemplate("Footer format is not valid", "footer: a text without variables is required");
  }
  if (lengthOf(text) > MAX_FOOTER) {
    refuseTemplate("Character limit exceeded", `footer: at most ${MAX_FOOTER} characters`);
  }
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
