import type { ParameterFormat, TemplateComponent } from "./template.ts";
import { bodyPart } from "./parts/body.ts";
import { buttonParts } from "./parts/buttons.ts";
import { carouselPart } from "./parts/carousel.ts";
import { headerPart } from "./parts/header.ts";
import { limitedTimeOfferPart } from "./parts/limited_time_offer.ts";
import type { PlatformComponent, TemplatePart, TemplateValue, Values } from "./parts/template_part.ts";
import { variableMismatch } from "./variables.ts";

export interface FilledTemplate {
  components: TemplateComponent[];
  parameter_format: ParameterFormat;
}

/** Returns the parts of a template that take values: header, body, limited-time offer, buttons, carousel. */
function templateParts(template: FilledTemplate): TemplatePart[] {
  const source = { ...template, prefix: "" };
  return [headerPart, bodyPart, limitedTimeOfferPart, buttonParts, carouselPart].flatMap((part) =>
    part(source)
  );
}

/** Returns the values that a client supplies, or may supply, to send a template, in the order of its parts. */
export function templateValues(template: FilledTemplate): TemplateValue[] {
  return templateParts(template).flatMap(({ values }) => values);
}

/**
 * Returns the names that a client must supply to send a template, in the contract's order: the header, `body_text_<N>`,
 * then the buttons. Empty for a template with static content only.
 */
export function dynamicComponents(
  components: TemplateComponent[],
  parameter_format: ParameterFormat,
): string[] {
  return templateValues({ components, parameter_format }).filter(({ isRequired }) => isRequired)
    .map(({ name }) => name);
}

/**
 * Makes the function that fills a template: it builds `template.components` of the platform's send request from values
 * named as in `templateValues()`. Components without a value are left out, as the platform requires. Values for names
 * that the template does not have are ignored.
 *
 * The function throws `variable_mismatch` when a value is missing; after acceptance that means that the template changed.
 */
export function componentsBuilder(template: FilledTemplate): (values: Values) => PlatformComponent[] {
  const parts = templateParts(template);
  const required = dynamicComponents(template.components, template.parameter_format);
  return (values) => {
    if (!required.every((name) => Object.hasOwn(values, name))) {
      throw variableMismatch(required, Object.keys(values));
    }
    return parts.flatMap((part) => part.build(values));
  };
}
