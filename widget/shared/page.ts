import { parseUrl } from "./urls.ts";

/** Attributes of an element by name. `true` sets an empty one; undefined and false leave it out. */
type ElementOptions = Record<string, string | number | boolean | undefined>;

/** Makes an element with attributes and children. Text stays text: it is never parsed as HTML. */
export function makeElement<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  options: ElementOptions = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  for (const [attribute, value] of Object.entries(options)) {
    if (value === undefined || value === false) continue;
    element.setAttribute(attribute, value === true ? "" : String(value));
  }
  element.append(...children);
  return element;
}

const SVG = "http://www.w3.org/2000/svg";

/** Paths in a box of 24 by 24, drawn as lines in the colour of the text. */
const ICONS = {
  chat: ["M4 5.5h16v11H11l-4.5 4v-4H4z"],
  voice: [
    "M12 3.5a3 3 0 0 1 3 3v5a3 3 0 0 1-6 0v-5a3 3 0 0 1 3-3z",
    "M5.5 11.5a6.5 6.5 0 0 0 13 0",
    "M12 18v3",
  ],
  close: ["M6 6l12 12", "M18 6 6 18"],
} as const;

/** The icon of a button that sends. */
export const SEND_ICON = ["M4 12 20.5 4.5 14 20.5l-2.7-6.8z", "M11.3 13.7 20.5 4.5"];

/** Makes one of these icons. */
export function makeIcon(name: keyof typeof ICONS): SVGSVGElement {
  return drawIcon(ICONS[name]);
}

/**
 * Makes an icon of SVG paths in a box of 24 by 24. Screen readers skip it: its meaning is in the text or label beside it.
 */
export function drawIcon(paths: readonly string[]): SVGSVGElement {
  const icon = document.createElementNS(SVG, "svg");
  const attributes = { viewBox: "0 0 24 24", "aria-hidden": "true", focusable: "false", class: "icon" };
  for (const [key, value] of Object.entries(attributes)) icon.setAttribute(key, value);
  for (const line of paths) {
    const path = document.createElementNS(SVG, "path");
    path.setAttribute("d", line);
    icon.append(path);
  }
  return icon;
}

/** A picture as part of a configuration, the only form of a logo. */
const LOGO = /^data:image\/(png|jpeg|webp);base64,/;

/** Makes the logo for a header; undefined without one. Screen readers skip it: the title stands beside it. */
export function makeLogo(source: unknown): HTMLElement | undefined {
  if (typeof source !== "string" || !LOGO.test(source)) return undefined;
  return makeElement("img", { class: "logo", src: source, alt: "" });
}

/** Returns the API's base URL that this page was built for; undefined for a page built for any API. */
export function builtInApi(): string | undefined {
  return parseUrl(document.querySelector<HTMLMetaElement>('meta[name="outbound-api"]')?.content);
}
