import { AppError } from "../errors.ts";
import { cardsOf, type TemplateComponent } from "./template.ts";
import { findComponent, hasVariable } from "./template_texts.ts";

/** Returns the 422 for values that differ from the template's variables, with every name on either side. */
export function variableMismatch(
  expected: string[],
  provided: string[],
  { message = "The provided variables differ from the template's", optional = [] }: {
    message?: string;
    /** Names that may be supplied. */
    optional?: string[];
  } = {},
): AppError {
  const known = new Set([...expected, ...optional]);
  const given = new Set(provided);
  return new AppError("variable_mismatch", message, {
    details: {
      template_variables: expected,
      ...(optional.length > 0 && { optional_variables: optional }),
      provided_variables: provided,
      missing: expected.filter((name) => !given.has(name)),
      unexpected: provided.filter((name) => !known.has(name)),
    },
  });
}

const HEADERS = new Set(["TEXT", "IMAGE", "VIDEO", "DOCUMENT", "LOCATION"]);
const CARD_HEADERS = new Set(["IMAGE", "VIDEO"]);

/** Components and buttons that cannot be sent without a value that has no name here. Source: WhatsApp Cloud API. */
const UNFILLABLE_COMPONENTS = new Set(["ORDER_DETAILS", "ORDER_STATUS"]);
const UNFILLABLE_BUTTONS = new Set(["OTP", "MPM", "SPM", "ORDER_DETAILS"]);
const CARD_BUTTONS = new Set(["URL", "QUICK_REPLY", "PHONE_NUMBER"]);

/**
 * Returns the parts of a template that need a value for which there is no name, in words for people. A template with any
 * of these cannot be sent: the platform would refuse each message.
 */
export function unsupportedVariables(components: TemplateComponent[]): string[] {
  return components.flatMap((component) => {
    switch (component.type.toUpperCase()) {
      case "HEADER":
        return unsupportedHeader(component);
      case "FOOTER":
        return hasVariable(component.text) ? ["a footer with a variable"] : [];
      case "BUTTONS":
        return buttonTypes(component).filter((type) => UNFILLABLE_BUTTONS.has(type))
          .map((type) => `a button of type ${type}`);
      case "CAROUSEL":
        return unsupportedCarousel(component);
      default:
        return isFillable(component) ? [] : [`a component of type ${component.type.toUpperCase()}`];
    }
  });
}

function unsupportedHeader(header: TemplateComponent): string[] {
  const format = header.format?.toUpperCase() ?? "TEXT";
  if (!HEADERS.has(format)) return [`a header of format ${format}`];
  const variables = header.text?.match(/\{\{/g)?.length ?? 0;
  return format === "TEXT" && variables > 1 ? ["a text header with more than one variable"] : [];
}

function buttonTypes({ buttons = [] }: TemplateComponent): string[] {
  return buttons.map(({ type }) => type.toUpperCase());
}

const MAX_CARDS = 10;

function unsupportedCarousel(carousel: TemplateComponent): string[] {
  const cards = cardsOf(carousel);
  if (cards === undefined) return ["a carousel whose cards cannot be read"];
  if (cards.length > MAX_CARDS) return [`a carousel of more than ${MAX_CARDS} cards`];
  const found = cards.flatMap((components) => {
    const header = findComponent(components, "HEADER")?.format?.toUpperCase() ?? "NONE";
    const buttons = components.flatMap(buttonTypes).filter((type) => !CARD_BUTTONS.has(type));
    return [
      ...(CARD_HEADERS.has(header) ? [] : [`a carousel card with a header of format ${header}`]),
      ...buttons.map((type) => `a carousel card with a button of type ${type}`),
    ];
  });
  return [...new Set(found)];
}

const FILLABLE_COMPONENTS = new Set(["BODY", "LIMITED_TIME_OFFER"]);

function isFillable(component: TemplateComponent): boolean {
  const type = component.type.toUpperCase();
  if (FILLABLE_COMPONENTS.has(type)) return true;
  return !UNFILLABLE_COMPONENTS.has(type) && !hasVariable(JSON.stringify(component));
}
