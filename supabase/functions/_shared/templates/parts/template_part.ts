import type { ParameterFormat, TemplateComponent } from "../template.ts";
import type { PlatformComponent } from "./platform_component.ts";

/** The values of one message, by their names in `components_push`. */
export type Values = Record<string, string>;

/** A value that a client supplies, or may supply, to send a template. */
export interface TemplateValue {
  name: string;
  isRequired: boolean;
  /** The template's own; undefined where it has none. */
  example?: string | undefined;
}

/** One part of a template that takes values. */
export interface TemplatePart {
  /** In the order in which they are listed. */
  values: TemplateValue[];
  /** Builds the entries of `template.components`; none where nothing was supplied for it. */
  build(values: Values): PlatformComponent[];
}

/** A template, or one card of a carousel. */
export interface PartSource {
  components: TemplateComponent[];
  parameterFormat: ParameterFormat;
  /** Stands before the names of its values: empty, or `carousel_<n>_`. */
  prefix: string;
}

/** The platform refuses text with a line break, a tab or more than four spaces in a row (code 132018). */
export function oneLine(value: string): string {
  return value.replace(/\r\n|[\n\r\t\v\f\u0085\u2028\u2029]/g, " ").replace(/ {5,}/g, "    ");
}
