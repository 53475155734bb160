import { PlatformError } from "../http/platform_error.ts";
import { variablesOf } from "../templates/template_text.ts";
import type { SendParameter } from "./send.ts";

export interface TextSlot {
  /** `header`, `body` or `buttons`; every error message starts with it. */
  component: string;
  /** The template's own text. */
  text: string;
  format: "POSITIONAL" | "NAMED";
}

/**
 * Matches parameters with the variables of a template text. Throws 132000 when their number differs, 132012 for a wrong
 * form or name, 131008 for an empty one, 132018 for line breaks, tabs and long runs of spaces.
 */
export function textValues(slot: TextSlot, parameters: SendParameter[]): Map<string, string> {
  const variables = variablesOf(slot.text);
  if (parameters.length !== variables.length) {
    throw new PlatformError(
      132000,
      `${slot.component}: number of localizable_params (${parameters.length}) does not match the expected ` +
        `number of params (${variables.length})`,
    );
  }
  const values = new Map(parameters.map((parameter, index) => {
    const name = slot.format === "NAMED" ? nameOf(slot, parameter) : positionOf(slot, parameter, index);
    return [name, textOf(slot, parameter)] as const;
  }));
  const unfilled = variables.find((name) => !values.has(name));
  if (unfilled !== undefined) {
    throw new PlatformError(132012, `${slot.component}: no parameter is named ${unfilled}`);
  }
  return values;
}

function nameOf({ component }: TextSlot, parameter: SendParameter): string {
  const name = "parameter_name" in parameter ? parameter.parameter_name : undefined;
  if (name === undefined) throw new PlatformError(132012, `${component}: Parameter name is missing or empty`);
  return name;
}

function positionOf({ component }: TextSlot, parameter: SendParameter, index: number): string {
  if ("parameter_name" in parameter) {
    throw new PlatformError(
      132012,
      `${component}: the template is positional, parameter_name is not expected`,
    );
  }
  return String(index + 1);
}

function textOf({ component }: TextSlot, parameter: SendParameter): string {
  if (parameter.type === "currency") return parameter.currency.fallback_value;
  if (parameter.type === "date_time") return parameter.date_time.fallback_value;
  if (parameter.type !== "text") {
    throw new PlatformError(
      132012,
      `${component}: Format mismatch, expected TEXT, received ${parameter.type.toUpperCase()}`,
    );
  }
  if (parameter.text.trim() === "") {
    throw new PlatformError(131008, `${component}: Parameter of type text is missing text value`);
  }
  if (/[\n\r\t]| {5}/.test(parameter.text)) {
    throw new PlatformError(
      132018,
      `${component}: Param text cannot have new-line/tab characters or more than 4 consecutive spaces`,
    );
  }
  return parameter.text;
}
