import type { ParameterFormat, TemplateButton, TemplateComponent } from "./template.ts";

const POSITIONAL = /\{\{\s*([1-9]\d{0,2})\s*\}\}/g;
const NAMED = /\{\{\s*(\w+)\s*\}\}/g;

/** A variable of a template's body and the component name under which its value is supplied. */
export interface BodyVariable {
  /** What stands between the braces: `1`, or `first_name` in a template of the named format. */
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

/** The first component of a type, whatever the case it is written in. */
export function findComponent(components: TemplateComponent[], type: string): TemplateComponent | undefined {
  return components.find((component) => component.type.toUpperCase() === type);
}

/** True when a text of a template holds a variable of either format. */
export function hasVariable(text: string | undefined): boolean {
  return text !== undefined && text.search(NAMED) >= 0;
}

/**
 * The variables of a body, each once: by number in the positional format (`{{1}}` is `body_text_0`), by first
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

/** The URL buttons that need a value, in the template's order. */
export function urlButtons(buttons: TemplateButton[]): UrlButton[] {
  return buttons
    .map((button, index) => ({ button, index }))
    .filter(({ button }) => button.type.toUpperCase() === "URL" && hasVariable(button.url))
    .map(({ index }, position) => ({ name: `buttons_url_${position}`, index }));
}
