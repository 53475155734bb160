import { PlatformError } from "../http/platform_error.ts";
import type { SandboxTemplate, TemplateComponent } from "../options.ts";
import { fillText, lengthOf } from "../templates/template_text.ts";
import { renderButtons, type RenderedButton } from "./render_buttons.ts";
import { renderCarousel, type RenderedCard } from "./render_carousel.ts";
import { type RenderedHeader, renderHeader } from "./render_header.ts";
import { type RenderedOffer, renderOffer } from "./render_offer.ts";
import type { SendComponent } from "./send.ts";
import { textValues } from "./text_values.ts";

/** A message as the person sees it, every variable filled in. */
export interface RenderedMessage {
  header: RenderedHeader | null;
  body: string;
  footer: string | null;
  buttons: RenderedButton[];
  /** Of a limited-time offer. */
  offer?: RenderedOffer;
  /** Of a carousel. */
  cards?: RenderedCard[];
}

/** Limit of a body, variables filled in. */
const MAX_BODY = 1024;

/** Fills a template with the components of a send. Throws the platform's code for a fault in them. */
export function renderMessage(template: SandboxTemplate, components: SendComponent[]): RenderedMessage {
  const format = template.parameter_format ?? "POSITIONAL";
  const header = only(components, "header");
  const body = only(components, "body");
  const text = find(template, "BODY")?.text ?? "";
  const offer = renderOffer(find(template, "LIMITED_TIME_OFFER"), only(components, "limited_time_offer"));
  const cards = renderCarousel(find(template, "CAROUSEL"), only(components, "carousel"), format);
  const rendered = {
    header: renderHeader(find(template, "HEADER"), header?.parameters ?? [], format),
    body: fillText(text, textValues({ component: "body", text, format }, body?.parameters ?? [])),
    footer: find(template, "FOOTER")?.text ?? null,
    buttons: renderButtons(
      find(template, "BUTTONS")?.buttons ?? [],
      components.filter((component) => component.type === "button"),
    ),
    ...(offer !== undefined && { offer }),
    ...(cards !== undefined && { cards }),
  };
  if (lengthOf(rendered.body) > MAX_BODY) throw new PlatformError(132005, "body: Translated text too long");
  return rendered;
}

function find(template: SandboxTemplate, type: TemplateComponent["type"]): TemplateComponent | undefined {
  return template.components.find((component) => component.type === type);
}

function only<Type extends SendComponent["type"]>(components: SendComponent[], type: Type) {
  const found = components.filter((component): component is Extract<SendComponent, { type: Type }> =>
    component.type === type
  );
  if (found.length > 1) throw new PlatformError(131009, `template: more than one ${type} component`);
  return found[0];
}
