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

// The loader has only the icons above: what it does not import is not in it.

/** The icon of a button that sends. */
export const SEND_ICON = ["M4 12 20.5 4.5 14 20.5l-2.7-6.8z", "M11.3 13.7 20.5 4.5"];

/** The icon of a file. */
export const FILE_ICON = ["M6 3.5h8l4 4v13H6z", "M14 3.5v4h4"];

/** The icon of a button that attaches a file. */
export const CLIP_ICON = [
  "M19 11.5 12 18.5a4.5 4.5 0 0 1-6.4-6.4l7.4-7.4a3 3 0 0 1 4.3 4.3l-7.3 7.3a1.5 1.5 0 0 1-2.2-2.1l6.6-6.6",
];

/** The icon of a button that offers emoji. */
export const SMILE_ICON = [
  "M12 3.5a8.5 8.5 0 1 0 0 17a8.5 8.5 0 1 0 0-17z",
  "M8.5 14c1.6 2.6 5.4 2.6 7 0",
  "M9 9.5v.01",
  "M15 9.5v.01",
];

/** The icon of a button that opens a menu. */
export const MORE_ICON = ["M12 5.5v.01", "M12 12v.01", "M12 18.5v.01"];

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
