import type { ParameterFormat, TemplateComponent } from "./template.ts";
import { bodyVariables, findComponent, hasVariable, urlButtons } from "./variables.ts";

const MEDIA_HEADERS: Record<string, string> = {
  IMAGE: "header_image",
  VIDEO: "header_video",
  DOCUMENT: "header_document",
};

/** Components and buttons that cannot be sent without a value of their own kind. Source: WhatsApp Cloud API. */
const UNFILLABLE_COMPONENTS = new Set(["CAROUSEL", "LIMITED_TIME_OFFER", "ORDER_DETAILS", "ORDER_STATUS"]);
const UNFILLABLE_BUTTONS = new Set(["COPY_CODE", "OTP", "MPM", "SPM", "ORDER_DETAILS"]);
const KNOWN_COMPONENTS = new Set(["HEADER", "BODY", "FOOTER", "BUTTONS"]);

/**
 * The names a client supplies to send a template, in the contract's order: the media header, `body_text_<N>`, then
 * `buttons_url_<N>`. Empty for a template with static content only.
 */
export function dynamicComponents(
  components: TemplateComponent[],
  parameterFormat: ParameterFormat,
): string[] {
  const format = findComponent(components, "HEADER")?.format?.toUpperCase() ?? "";
  const header = Object.hasOwn(MEDIA_HEADERS, format) ? [MEDIA_HEADERS[format]!] : [];
  const body = bodyVariables(findComponent(components, "BODY")?.text ?? "", parameterFormat);
  const buttons = urlButtons(findComponent(components, "BUTTONS")?.buttons ?? []);
  return [...header, ...body.map(({ name }) => name), ...buttons.map(({ name }) => name)];
}

/**
 * The parts of a template that need a value the contract gives no name for, in words for people. A template with any
 * of these cannot be sent: the platform would refuse each message.
 */
export function unsupportedVariables(components: TemplateComponent[]): string[] {
  return components.flatMap((component) => {
    const type = component.type.toUpperCase();
    if (type === "HEADER") return unsupportedHeader(component);
    if (type === "FOOTER") return hasVariable(component.text) ? ["a footer with a variable"] : [];
    if (type === "BUTTONS") return unsupportedButtons(component);
    return isFillable(component) ? [] : [`a component of type ${type}`];
  });
}

function unsupportedHeader(header: TemplateComponent): string[] {
  const format = header.format?.toUpperCase() ?? "TEXT";
  if (format === "TEXT") return hasVariable(header.text) ? ["a text header with a variable"] : [];
  return Object.hasOwn(MEDIA_HEADERS, format) ? [] : [`a header of format ${format}`];
}

function unsupportedButtons(component: TemplateComponent): string[] {
  return (component.buttons ?? [])
    .map((button) => button.type.toUpperCase())
    .filter((type) => UNFILLABLE_BUTTONS.has(type))
    .map((type) => `a button of type ${type}`);
}

function isFillable(component: TemplateComponent): boolean {
  const type = component.type.toUpperCase();
  if (KNOWN_COMPONENTS.has(type)) return true;
  return !UNFILLABLE_COMPONENTS.has(type) && !hasVariable(JSON.stringify(component));
}
