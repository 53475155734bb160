import { cardsOf } from "../template.ts";
import { findComponent } from "../template_texts.ts";
import { bodyPart } from "./body.ts";
import { buttonParts } from "./buttons.ts";
import { headerPart } from "./header.ts";
import type { PartSource, TemplatePart } from "./template_part.ts";

/** Returns the carousel of a template, if it has one. The platform shows as many cards as the template has. */
export function carouselPart({ components, parameter_format }: PartSource): TemplatePart[] {
  const carousel = findComponent(components, "CAROUSEL");
  const cards = (carousel && cardsOf(carousel)) ?? [];
  const parts = cards.map((card, index) => {
    const source = { components: card, parameter_format, prefix: `carousel_${index}_` };
    return [...headerPart(source), ...bodyPart(source), ...buttonParts(source)];
  });
  if (parts.length === 0) return [];
  return [{
    values: parts.flat().flatMap(({ values }) => values),
    build: (values) => [{
      type: "carousel",
      cards: parts.map((card, card_index) => ({
        card_index,
        components: card.flatMap((part) => part.build(values)),
      })),
    }],
  }];
}
