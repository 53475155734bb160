import { refuseTemplate } from "./refuse_template.ts";
import { lengthOf, TEMPLATE_VARIABLE, variablesOf } from "./template_text.ts";

export interface TextRules {
  /** `header` or `body`. */
  place: string;
  format: "POSITIONAL" | "NAMED";
  maxLength: number;
  /** Names and values given as examples. */
  examples: Map<string, string>;
}

/** Fewest words of fixed text for each variable; the platform's own number is not public. */
const WORDS_PER_VARIABLE = 2;

/** Checks a text with variables: length, their names and order, where they stand, and an example for each. */
export function checkTemplateText(text: string, rules: TextRules): void {
  const { place, format, maxLength, examples } = rules;
  if (lengthOf(text) > maxLength) {
    refuseTemplate("Character limit exceeded", `${place}: at most ${maxLength} characters`);
  }
  const names = variablesOf(text);
  checkNames(names, place, format);
  checkPlaces(text, place);
  checkDensity(text, place, names.length);
  const bare = names.find((name) => !examples.has(name));
  if (bare !== undefined) refuseTemplate("Invalid parameter", `${place}: {{${bare}}} needs an example`);
  if (examples.size > names.length) {
    refuseTemplate("Invalid parameter", `${place}: more examples than variables`);
  }
}

function checkNames(names: string[], place: string, format: TextRules["format"]): void {
  const good = format === "POSITIONAL"
    ? names.every((name, index) => name === String(index + 1))
    : names.every((name) => /^[a-z_]+$/.test(name));
  if (good) return;
  const rule = format === "POSITIONAL"
    ? "numbered from {{1}} without gaps"
    : "lower-case letters and underscores";
  refuseTemplate("Invalid parameter", `${place}: variables must be ${rule}`);
}

function checkPlaces(text: string, place: string): void {
  const bare = text.trim();
  if (place === "body" && (/^\{\{[^{}]*\}\}/.test(bare) || /\{\{[^{}]*\}\}$/.test(bare))) {
    refuseTemplate("Leading or trailing variables", `${place}: a variable cannot start or end the text`);
  }
  if (/\}\}\s*\{\{/.test(text)) refuseTemplate("Invalid parameter", `${place}: variables cannot touch`);
}

function checkDensity(text: string, place: string, variables: number): void {
  if (place !== "body" || variables === 0) return;
  const words = text.replaceAll(TEMPLATE_VARIABLE, " ").split(/[^\p{L}\p{N}]+/u).filter(Boolean).length;
  if (words < variables * WORDS_PER_VARIABLE) {
    refuseTemplate("Too many variables for the length", `${place}: more text is needed around the variables`);
  }
}
