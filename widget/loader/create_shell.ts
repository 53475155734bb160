import { followAppearance } from "../shared/appearance.ts";
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
  /** Sets colours and position. Returns the configured position of the button. */
  dress(theme: Theme): ButtonPosition;
  /** Ends following the device's appearance. */
  destroy(): void;
}

/** Makes the element for one widget in a language. The caller adds it to the page. */
export function createShell(options: LoaderOptions, language: string): Shell {
  const host = makeElement("div", { "data-outbound-widget": options.widget });
  const shadow = host.attachShadow({ mode: "open" });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(STYLE);
  shadow.adoptedStyleSheets = [sheet];
  const root = makeElement("div", { lang: language, dir: directionOf(language) });
  shadow.append(root);
  root.classList.toggle("closable", options.showClose);
  let unfollow = () => {};
  return {
    host,
    root,
    dress({ appearance, position }) {
      unfollow();
      unfollow = followAppearance(root, appearance);
      const { offset_x, offset_y, size } = position;
      const placement = options.placement ?? position.placement;
      const sides = placement.split("-");
      for (const side of ["top", "bottom", "left", "right"]) {
        root.classList.toggle(side, sides.includes(side));
      }
      const variables = { x: offset_x, y: offset_y, size, margin: offset_y };
      for (const [name, value] of Object.entries(variables)) {
        root.style.setProperty(`--${name}`, `${value}px`);
      }
      return { placement, offsetX: offset_x, offsetY: offset_y, size };
    },
    destroy() {
      unfollow();
      host.remove();
    },
  };
}
