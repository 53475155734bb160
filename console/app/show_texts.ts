import { options, type VNode } from "preact";
import { showControls } from "../../supabase/functions/_shared/show_controls.js";

/**
 * Makes every text of the page show the characters that would turn it round or steer it (`<U+202E>`): much of it is from
 * strangers.
 */
export function showTextsAsTheyAre(): void {
  const before = options.vnode;
  options.vnode = (node) => {
    const text = node as unknown as { type: unknown; props: unknown };
    if (text.type === null && typeof text.props === "string") text.props = showControls(text.props);
    before?.(node as VNode);
  };
}
