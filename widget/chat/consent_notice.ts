import { makeElement } from "../shared/page.ts";
import type { Consent } from "./schemas.ts";
import type { Texts } from "./texts.ts";

/** Makes what takes the place of the text field until the visitor has accepted a text. */
export function createConsentNotice(
  { texts, onAccept }: { texts: Texts; onAccept: () => void },
): { element: HTMLElement; show(consent: Consent | undefined): void; focus(): void } {
  const accept = makeElement("button", { type: "button", class: "anew" }, texts("consent_accept"));
  const words = makeElement("p", { dir: "auto" });
  const element = makeElement("div", { class: "consent", hidden: true }, words, accept);
  let shown: Consent | undefined;
  accept.addEventListener("click", onAccept);
  return {
    element,
    show(consent) {
      element.hidden = consent === undefined;
      if (consent === undefined || consent === shown) return;
      shown = consent;
      words.replaceChildren(consent.text);
      if (consent.link === null) return;
      const link = { href: consent.link, target: "_blank", rel: "noopener noreferrer nofollow" };
      words.append(" ", makeElement("a", link, texts("consent_link")));
    },
    focus: () => accept.focus(),
  };
}
