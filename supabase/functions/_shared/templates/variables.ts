import type { ParameterFormat, TemplateButton, TemplateComponent } from "./template.ts";
import { AppError } from "../errors.ts";

const POSITIONAL = /\{\{\s*([1-9]\d{0,2})\s*\}\}/g;
const NAMED = /\{\{\s*(\w+)\s*\}\}/g;

/** A variable of a template's body and the component name under which its value is supplied. */
export interface BodyVariable {
  /** The text between the braces: `1`, or `first_name` in a template of the named format. */
  variable: string;
  /** `body_text_<N>`. */
  name: string;
}

/** A button whose URL ends in a variable, and its place among all buttons of the template. */
export interface UrlButton {
  /** `buttons_url_<N>`, N counting only the buttons that have a variable. */
  name: string;
  index: number;
}

/** Returns the first component of a type, in any letter case. */
export function findComponent(components: TemplateComponent[], type: string): TemplateComponent | undefined {
  return components.find((component) => component.type.toUpperCase() === type);
}

/** Returns whether a text of a template holds a variable of either format. */
export function hasVariable(text: string | undefined): boolean {
  return text !== undefined && text.search(NAMED) >= 0;
}

/**
 * Returns the variables of a body, each once: by number in the positional format (`{{1}}` is `body_text_0`), by first
 * appearance in the named one.
 */
export function bodyVariables(text: string, parameterFormat: ParameterFormat): BodyVariable[] {
  if (parameterFormat === "NAMED") {
    const names = new Set(Array.from(text.matchAll(NAMED), (match) => match[1]!));
    return [...names].map((variable, position) => ({ variable, name: `body_text_${position}` }));
  }
  const numbers = new Set(Array.from(text.matchAll(POSITIONAL), (match) => Number(match[1])));
  return [...numbers].sort((a, b) => a - b)
    .map((number) => ({ variable: String(number), name: `body_text_${number - 1}` }));
}

/** Returns the URL buttons that need a value, in the template's order. */
export function urlButtons(buttons: TemplateButton[]): UrlButton[] {
  return buttons
    .map((button, index) => ({ button, index }))
    .filter(({ button }) => button.type.toUpperCase() === "URL" && hasVariable(button.url))
    .map(({ index }, position) => ({ name: `buttons_url_${position}`, index }));
}

/** Returns the 422 for values that differ from the template's variables, with every name on either side. */
export function variableMismatch(
  expected: string[],
  provided: string[],
  message = "The provided variables differ from the template's",
): AppError {
  return new AppError("variable_mismatch", message, {
    details: {
      template_variables: expected,
      provided_variables: provided,
      missing: expected.filter((name) => !provided.includes(name)),
      unexpected: provided.filter((name) => !expected.includes(name)),
    },
  });
}

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
 * Returns the names that a client supplies to send a template, in the contract's order: the media header, `body_text_<N>`, then
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
 * Returns the parts of a template that need a value for which the contract has no name, in words for people. A template
 * with any of these cannot be sent: the platform would refuse each message.
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
