import { PlatformError } from "../http/platform_error.ts";
import type { TemplateCard, TemplateComponent } from "../options.ts";
import { fillText, lengthOf } from "../templates/template_text.ts";
import { renderButtons, type RenderedButton } from "./render_buttons.ts";
import { type RenderedHeader, renderHeader } from "./render_header.ts";
import type { SendCard, SendComponent } from "./send.ts";
import { textValues } from "./text_values.ts";

/** One card as the person sees it. */
export interface RenderedCard {
  header: RenderedHeader | null;
  body: string;
  buttons: RenderedButton[];
}

/** Limit of a card's body, variables filled in. */
const MAX_CARD_BODY = 160;

/**
 * Fills the cards of a carousel. Throws 132012 for a carousel that the template does not have, 131008 without one, 132000
 * for another number of cards, 131009 for a card that is given twice or does not exist, and the codes of each card's parts.
 */
export function renderCarousel(
  component: TemplateComponent | undefined,
  given: Extract<SendComponent, { type: "carousel" }> | undefined,
  format: "POSITIONAL" | "NAMED",
): RenderedCard[] | undefined {
  const cards = component?.cards;
  if (cards === undefined) {
    if (given !== undefined) throw new PlatformError(132012, "carousel: the template has no carousel");
    return undefined;
  }
  if (given === undefined) throw new PlatformError(131008, "carousel: the cards are required");
  if (given.cards.length !== cards.length) {
    throw new PlatformError(
      132000,
      `carousel: number of cards (${given.cards.length}) does not match the expected number (${cards.length})`,
    );
  }
  const byIndex = new Map(given.cards.map((card) => [card.card_index, card]));
  if (byIndex.size < cards.length) throw new PlatformError(131009, "carousel: a card_index is given twice");
  return cards.map((card, index) => {
    const values = byIndex.get(index);
    if (values === undefined) throw new PlatformError(131009, `carousel: there is no card at index ${index}`);
    return renderCard(card, values, format);
  });
}

function renderCard(
  card: TemplateCard,
  { components }: SendCard,
  format: "POSITIONAL" | "NAMED",
): RenderedCard {
  const part = (type: TemplateComponent["type"]) => card.components.find((each) => each.type === type);
  const parameters = (type: "header" | "body") => {
    const found = components.filter((each) => each.type === type);
    if (found.length > 1) throw new PlatformError(131009, `carousel: more than one ${type} in a card`);
    return found[0]?.parameters ?? [];
  };
  const text = part("BODY")?.text ?? "";
  const body = fillText(text, textValues({ component: "body", text, format }, parameters("body")));
  if (lengthOf(body) > MAX_CARD_BODY) throw new PlatformError(132005, "carousel: Translated text too long");
  return {
    header: renderHeader(part("HEADER"), parameters("header"), format),
    body,
    buttons: renderButtons(
      part("BUTTONS")?.buttons ?? [],
      components.filter((component) => component.type === "button"),
    ),
  };
}
