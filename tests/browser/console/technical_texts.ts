import type { Page } from "playwright-core";

/** How the company called its templates. */
const OWN_NAMES = /\b(order_update|flash_deal|new_arrivals)\b/g;

/** A code, the name of a field or a path in a document: nothing that a member reads. */
const TECHNICAL = /\b[a-z]+_[a-z_]+\b|\w+\.\w+\[/;

/** Codes stand in `code` and where the page says that they do; people name templates and campaigns as they like. */
const SPOKEN = `[...document.querySelectorAll("body *")].flatMap((element) => {
  if (element.closest("code, pre, [data-technical], script, .row-link, h1, option, [role=option]")) return [];
  return [...element.childNodes].filter(({ nodeType }) => nodeType === 3).map(({ textContent }) => textContent.trim());
}).filter(Boolean)`;

/** Returns the texts on the page that name a code or a field where a sentence stands. */
export async function technicalTexts(page: Page): Promise<string[]> {
  const texts = await page.evaluate(SPOKEN) as string[];
  return texts.filter((text) => TECHNICAL.test(text.replaceAll(OWN_NAMES, "")));
}
