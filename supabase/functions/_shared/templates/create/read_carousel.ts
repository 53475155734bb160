import { badFormat } from "../../errors.ts";
import type { TemplateComponent } from "../template.ts";
import { readButtons } from "./read_buttons.ts";
import { readBody, readHeader } from "./read_text_parts.ts";
import type { CardRequest } from "./template_request.ts";

const FIELD = "components_template.CAROUSEL.cards";
const MAX_CARD_BODY_LENGTH = 160;

/**
 * Reads the cards of a new template. All have the same parts: the format of the header, a body or none, and buttons of the
 * same types. Source: WhatsApp Cloud API, media card carousel templates. Throws `validation_failed`.
 */
export function readCarousel(cards: CardRequest[]): TemplateComponent {
  const read = cards.map((card, index) => ({ components: readCard(card, `${FIELD}[${index}]`) }));
  const odd = cards.findIndex((card) => partsOf(card) !== partsOf(cards[0]!));
  if (odd > 0) {
    throw badFormat(
      `${FIELD}[${odd}]`,
      partsOf(cards[odd]!),
      `the parts of the first card: ${partsOf(cards[0]!)}`,
    );
  }
  return { type: "CAROUSEL", cards: read };
}

function readCard({ HEADER, BODY, BUTTONS = [] }: CardRequest, path: string): TemplateComponent[] {
  if (HEADER.format !== "IMAGE" && HEADER.format !== "VIDEO") {
    throw badFormat(`${path}.HEADER.format`, HEADER.format, "IMAGE or VIDEO in a card");
  }
  const odd = BUTTONS.findIndex(({ type }) => type !== "URL" && type !== "QUICK_REPLY");
  if (odd >= 0) {
    throw badFormat(`${path}.BUTTONS[${odd}].type`, BUTTONS[odd]!.type, "URL or QUICK_REPLY in a card");
  }
  return [
    readHeader(HEADER, `${path}.HEADER`),
    ...(BODY ? [readBody(BODY, `${path}.BODY`, MAX_CARD_BODY_LENGTH)] : []),
    ...(BUTTONS.length > 0 ? [readButtons(BUTTONS, `${path}.BUTTONS`)] : []),
  ];
}

function partsOf({ HEADER, BODY, BUTTONS = [] }: CardRequest): string {
  return [HEADER.format, ...(BODY ? ["BODY"] : []), ...BUTTONS.map(({ type }) => type)].join(", ");
}
