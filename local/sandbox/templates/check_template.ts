import { checkTemplateButtons, refuseTemplate } from "./check_components.ts";
import { checkBody, checkHeader } from "./check_header_and_body.ts";
import { checkCarousel } from "./check_carousel.ts";
import { checkOffer } from "./check_offer.ts";
import type { TemplateBody, TemplateBodyComponent } from "./template_body.ts";
import { lengthOf, variablesOf } from "./template_text.ts";

const MAX_NAME = 512;
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
  for (const type of ["HEADER", "BODY", "FOOTER", "BUTTONS", "LIMITED_TIME_OFFER", "CAROUSEL"]) {
    const count = template.components.filter((component) => component.type === type).length;
    if (count > 1) refuseTemplate("Invalid parameter", `components: more than one ${type}`);
  }
  if (!template.components.some(({ type }) => type === "BODY")) {
    refuseTemplate("Body format is not valid", "components: a BODY is required");
  }
  for (const component of template.components) checkComponent(component, template.parameter_format);
  checkOffer(template);
  checkCarousel(template);
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
      return checkBody(component, format, MAX_BODY);
    case "FOOTER":
      return checkFooter(component.text ?? "");
    case "BUTTONS":
      return checkTemplateButtons(component.buttons ?? []);
  }
}

function checkFooter(text: string): void {
  if (text.trim() === "" || variablesOf(text).length > 0) {
    refuseTemplate("Footer format is not valid", "footer: a text without variables is required");
  }
  if (lengthOf(text) > MAX_FOOTER) {
    refuseTemplate("Character limit exceeded", `footer: at most ${MAX_FOOTER} characters`);
  }
}
