import { element } from "../shared/dom.js";

/** A location as the messaging app shows it: a map with a pin, the name and the address. */
export function locationBlock({ text, address, latitude, longitude }) {
  const block = element("div", "location");
  const map = element("div", "map");
  const pin = element("span", "pin");
  pin.setAttribute("aria-hidden", "true");
  map.append(pin);
  const label = element("div", "where");
  if (text) label.append(element("strong", "", text));
  if (address) label.append(element("span", "", address));
  label.append(element("small", "", `${latitude}, ${longitude}`));
  block.append(map, label);
  return block;
}

/** The cards of a carousel, side by side: swiped, scrolled, or moved with the arrow keys. */
export function makeCards(cards, { headerBlock, richText, row }) {
  const list = element("ul", "cards");
  list.tabIndex = 0;
  list.setAttribute("aria-label", `${cards.length} cards`);
  for (const [index, { header, body, buttons }] of cards.entries()) {
    const card = element("li", "bubble card");
    card.setAttribute("aria-label", `Card ${index + 1} of ${cards.length}`);
    if (header !== null) card.append(headerBlock(header));
    if (body !== "") {
      const text = element("div", "text");
      const paragraph = element("div", "body");
      paragraph.append(richText(body));
      text.append(paragraph);
      card.append(text);
    }
    const rows = element("div", "rows");
    rows.append(...buttons.map(row));
    card.append(rows);
    list.append(card);
  }
  return list;
}
