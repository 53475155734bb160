import type { ParameterFormat, TemplateComponent } from "./template.ts";

const POSITIONAL = /\{\{\s*([1-9]\d{0,2})\s*\}\}/g;
const NAMED = /\{\{\s*(\w+)\s*\}\}/g;

/** Returns the first component of a type, in any letter case. */
export function findComponent(components: TemplateComponent[], type: string): TemplateComponent | undefined {
  return components.find((component) => component.type.toUpperCase() === type);
}

/** Returns whether a text of a template holds a variable of either format. */
export function hasVariable(text: string | undefined): boolean {
  return text !== undefined && text.search(NAMED) >= 0;
}

/** A variable of a text and the number of the value that fills it. */
export interface TextVariable {
  /** The text between the braces: `1`, or `first_name` in a template of the named format. */
  variable: string;
  /** `{{1}}` is 0; in the named format the first one to appear is. */
  number: number;
}

/** Returns the variables of a text, each once: by number in the positional format, by first appearance in the named one. */
export function textVariables(text: string, parameterFormat: ParameterFormat): TextVariable[] {
  if (parameterFormat === "NAMED") {
    const names = new Set(Array.from(text.matchAll(NAMED), (match) => match[1]!));
    return [...names].map((variable, number) => ({ variable, number }));
  }
  const numbers = new Set(Array.from(text.matchAll(POSITIONAL), (match) => Number(match[1])));
  return [...numbers].sort((a, b) => a - b).map((one) => ({ variable: String(one), number: one - 1 }));
}
