import { applyColors, isDark, mix } from "../shared/colors.ts";
import { directionOf } from "../shared/language.ts";
import { makeElement } from "../shared/page.ts";
import type { Theme } from "./theme.ts";
import type { LoaderOptions } from "./options.ts";
import type { ButtonPosition } from "./position.ts";
import { STYLE } from "./style.ts";

/** The widget's element on the page, in a shadow root: page styles stay outside, widget styles inside. */
export interface Shell {
  /** On the page. */
  host: HTMLElement;
  /** Holds button and panel; its classes say where they are and whether the panel is open. */
  root: HTMLElement;
  /** The configured position of the button. */
  position: ButtonPosition;
}

/** Makes the element for one widget, with its colours, position and language. The caller adds it to the page. */
export function createShell(options: LoaderOptions, theme: Theme, language: string): Shell {
  const host = makeElement("div", { "data-outbound-widget": options.widget });
  const shadow = host.attachShadow({ mode: "open" });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(STYLE);
  shadow.adoptedStyleSheets = [sheet];
  const root = makeElement("div", { lang: language, dir: directionOf(language) });
  shadow.append(root);
  const { offset_x, offset_y, size } = theme.position;
  const placement = options.placement ?? theme.position.placement;
  root.classList.add(...placement.split("-"));
  root.classList.toggle("closable", options.showClose);
  applyColors(root, theme.colors);
  const { primary } = theme.colors;
  const variables = {
    x: `${offset_x}px`,
    y: `${offset_y}px`,
    size: `${size}px`,
    margin: `${offset_y}px`,
    // The page behind the button may have any colour, so the button needs a border of its own.
    rim: mix(primary, isDark(primary) ? "#ffffff" : "#000000", 0.7),
  };
  for (const [name, value] of Object.entries(variables)) root.style.setProperty(`--${name}`, value);
  return { host, root, position: { placement, offsetX: offset_x, offsetY: offset_y, size } };
}
