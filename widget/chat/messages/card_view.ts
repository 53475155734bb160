import { makeElement } from "../../shared/page.ts";
import type { ChatCard } from "../schemas.ts";
import { type LinkFile, whenNear } from "./file_view.ts";

/** Makes a card: an image, a title, a text, and links that look like buttons. Only https links are shown. */
export function createCardView(card: ChatCard, sequence: number, linkFile: LinkFile): HTMLElement {
  const { title, text, image_url, image_media_id, buttons } = card;
  const element = makeElement("div", { class: "card", dir: "auto" });
  element.append(makeElement("b", {}, title));
  if (text) element.append(makeElement("span", {}, text));
  for (const { label, url } of buttons) {
    if (isSecure(url)) {
      element.append(
        makeElement("a", { href: url, target: "_blank", rel: "noopener noreferrer nofollow" }, label),
      );
    }
  }
  const show = (url: string) => {
    const image = makeElement("img", { src: url, alt: "", referrerpolicy: "no-referrer" });
    image.addEventListener("error", () => image.remove(), { once: true });
    element.prepend(image);
  };
  if (image_url && isSecure(image_url)) whenNear(element, () => show(image_url));
  else if (image_media_id) {
    whenNear(element, () => void linkFile(sequence).then(({ url }) => show(url)).catch(() => {}));
  }
  return element;
}

function isSecure(url: string): boolean {
  return /^https:\/\//i.test(url);
}
