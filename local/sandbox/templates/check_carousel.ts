import { checkTemplateButtons, refuseTemplate } from "./check_components.ts";
import { checkBody, checkHeader } from "./check_header_and_body.ts";
import type { TemplateBody, TemplateBodyCard } from "./template_body.ts";

const MIN_CARDS = 2;
const MAX_CARDS = 10;
const MAX_CARD_BODY = 160;
const MAX_CARD_BUTTONS = 2;
const CARD_BUTTONS = ["URL", "QUICK_REPLY", "PHONE_NUMBER"];

/** Checks the carousel of a template: what stands beside it, each card, and that all cards have the same parts. */
export function checkCarousel({ category, components, parameter_format: format }: TemplateBody): void {
  const carousel = components.find(({ type }) => type === "CAROUSEL");
  if (carousel === undefined) return;
  if (category !== "MARKETING") refuse("only in the category MARKETING");
  if (components.some(({ type }) => type !== "BODY" && type !== "CAROUSEL")) {
    refuse("beside it there is a body and nothing else");
  }
  const cards = carousel.cards ?? [];
  if (cards.length < MIN_CARDS || cards.length > MAX_CARDS) refuse(`from ${MIN_CARDS} to ${MAX_CARDS} cards`);
  for (const card of cards) checkCard(card, format);
  if (new Set(cards.map(partsOf)).size > 1) refuse("all cards must have the same parts");
}

function checkCard({ components }: TemplateBodyCard, format: TemplateBody["parameter_format"]): void {
  const only = (type: string) => {
    const [found, ...more] = components.filter((component) => component.type === type);
    if (more.length > 0) refuse(`more than one ${type} in a card`);
    return found;
  };
  const [header, body, buttons] = [only("HEADER"), only("BODY"), only("BUTTONS")?.buttons];
  if (header === undefined || (header.format !== "IMAGE" && header.format !== "VIDEO")) {
    refuse("each card has a header of format IMAGE or VIDEO");
  }
  checkHeader(header, format);
  if (body !== undefined) checkBody(body, format, MAX_CARD_BODY);
  if (buttons === undefined) return;
  if (buttons.length > MAX_CARD_BUTTONS) refuse(`at most ${MAX_CARD_BUTTONS} buttons in a card`);
  if (buttons.some(({ type }) => !CARD_BUTTONS.includes(type))) {
    refuse(`a card's buttons are of type ${CARD_BUTTONS.join(", ")}`);
  }
  checkTemplateButtons(buttons);
}

/** The kinds of a card's parts, to compare cards by. */
function partsOf({ components }: TemplateBodyCard): string {
  return components.map(({ type, format, buttons = [] }) =>
    [type, format, ...buttons.map((button) => button.type)].join(" ")
  ).sort().join("; ");
}

function refuse(rule: string): never {
  refuseTemplate("Invalid parameter", `carousel: ${rule}`);
}
