import { cardsOf, type ParameterFormat, type TemplateButton, type TemplateComponent } from "./template.ts";
import type { Values } from "./parts/template_part.ts";
import { fillText, findComponent, hasVariable, textVariables } from "./template_texts.ts";
import { OFFER_END } from "./value_names.ts";

/** A message as its recipient reads it, in texts. */
export interface RenderedTemplate {
  /** The text, the URL of the medium, or the place; null without a header. */
  header: string | null;
  body: string;
  footer: string | null;
  /** The label of each; with `: ` and the address or the code where it leads to one or copies one. */
  buttons: string[];
  /** The text of a limited-time offer, with its end. */
  offer?: string;
  /** The cards of a carousel. */
  cards?: { header: string | null; body: string; buttons: string[] }[];
}

interface Source {
  components: TemplateComponent[];
  parameterFormat: ParameterFormat;
}

/** Renders a template with the values of one message. A variable without a value stays as the template writes it. */
export function renderTemplate(template: Source, values: Values): RenderedTemplate {
  const { components, parameterFormat } = template;
  const offer = Object(findComponent(components, "LIMITED_TIME_OFFER")?.limited_time_offer);
  const carousel = findComponent(components, "CAROUSEL");
  const cards = carousel && cardsOf(carousel);
  const ends = Object.hasOwn(values, OFFER_END) ? ` (ends ${values[OFFER_END]})` : "";
  return {
    header: renderHeader(template, values, ""),
    body: renderText(template, "BODY", values, "body_text"),
    footer: findComponent(components, "FOOTER")?.text ?? null,
    buttons: renderButtons(template, values, ""),
    ...(typeof offer.text === "string" && { offer: offer.text + ends }),
    ...(cards !== undefined && {
      cards: cards.map((card, index) => {
        const source = { components: card, parameterFormat };
        const prefix = `carousel_${index}_`;
        return {
          header: renderHeader(source, values, prefix),
          body: renderText(source, "BODY", values, `${prefix}body_text`),
          buttons: renderButtons(source, values, prefix),
        };
      }),
    }),
  };
}

function renderText(
  { components, parameterFormat }: Source,
  type: "HEADER" | "BODY",
  values: Values,
  name: string,
): string {
  const text = findComponent(components, type)?.text ?? "";
  const filled = textVariables(text, parameterFormat).flatMap(({ variable, number }) => {
    const value = valueOf(values, `${name}_${number}`);
    return value === undefined ? [] : [[variable, value] as const];
  });
  return fillText(text, new Map(filled));
}

function renderHeader(template: Source, values: Values, prefix: string): string | null {
  const header = findComponent(template.components, "HEADER");
  if (header === undefined) return null;
  const format = header.format?.toLowerCase() ?? "text";
  if (format === "text") return renderText(template, "HEADER", values, `${prefix}header_text`);
  if (format !== "location") return valueOf(values, `${prefix}header_${format}`) ?? null;
  const place = (name: string) => valueOf(values, `header_location_${name}`);
  return [place("name"), place("address"), `${place("latitude")} ${place("longitude")}`]
    .filter((part) => part !== undefined).join(", ");
}

function renderButtons({ components }: Source, values: Values, prefix: string): string[] {
  const numbers = { url: 0, copy_code: 0 };
  return (findComponent(components, "BUTTONS")?.buttons ?? []).map((button) => {
    const type = button.type.toUpperCase();
    if (type === "URL") return `${button.text}: ${urlOf(button)}`;
    if (type === "COPY_CODE") {
      return `${button.text ?? "Copy code"}: ${
        valueOf(values, `${prefix}buttons_copy_code_${numbers.copy_code++}`)
      }`;
    }
    return button.text ?? type;
  });

  function urlOf({ url = "" }: TemplateButton): string {
    if (!hasVariable(url)) return url;
    const value = valueOf(values, `${prefix}buttons_url_${numbers.url++}`);
    return value === undefined ? url : url.replace(/\{\{[^{}]*\}\}/, () => value);
  }
}

function valueOf(values: Values, name: string): string | undefined {
  return Object.hasOwn(values, name) ? values[name] : undefined;
}
