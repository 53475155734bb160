/** Screens on which an open panel covers the page, as in style.css. */
const FULL_SCREEN = "(max-width: 480px), (max-height: 440px)";

export interface FullScreen {
  /** The panel was opened by the visitor. */
  enter(): void;
  /** It was closed by anything but the visitor's way back. */
  leave(): void;
  destroy(): void;
}

/**
 * Lets the visitor's way back close a panel that covers the page, as everything else does that covers it, and keeps the
 * panel above the keyboard on the screen. The entry in the history keeps the page's own state, which routers need.
 *
 * @param id the widget's, to tell its entry from those of others
 */
export function createFullScreen(id: string, root: HTMLElement, onBack: () => void): FullScreen {
  const isOwn = () => history.state?.outbound === id;
  let isEntered = false;

  function fit(): void {
    const { height, offsetTop, scale } = visualViewport!;
    // The page is magnified, which is no keyboard.
    if (scale !== 1) return;
    root.style.setProperty("--screen-height", `${height}px`);
    root.style.setProperty("--screen-top", `${offsetTop}px`);
  }

  function goBack(): void {
    if (!isEntered || isOwn()) return;
    isEntered = false;
    onBack();
  }

  const ending = new AbortController();
  for (const name of ["resize", "scroll"]) visualViewport?.addEventListener(name, fit, ending);
  addEventListener("popstate", goBack, ending);
  return {
    enter() {
      const { state } = history;
      if (!matchMedia(FULL_SCREEN).matches || isEntered || typeof state !== "object") return;
      history.pushState({ ...state, outbound: id }, "");
      isEntered = true;
    },
    leave() {
      const wasEntered = isEntered;
      isEntered = false;
      // The page may have gone on by itself.
      if (wasEntered && isOwn()) history.back();
    },
    destroy: () => ending.abort(),
  };
}
