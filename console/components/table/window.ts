import {
  elementScroll,
  observeElementOffset,
  observeElementRect,
  type VirtualItem,
  Virtualizer,
} from "@tanstack/virtual-core";
import { useLayoutEffect, useReducer, useRef } from "preact/hooks";

/** Rows above and below what is seen, so that a fast scroll shows no gap. */
const OVERSCAN = 12;

/** The rows of a long list that are seen in its scrolling box, and the space that the others take. */
export interface SeenRows {
  items: VirtualItem[];
  above: number;
  below: number;
}

/** Returns which of `count` rows of one height to show in the box. */
export function useWindow(
  { count, rowHeight, box }: { count: number; rowHeight: number; box: { current: HTMLElement | null } },
): SeenRows {
  const [, show] = useReducer<number, void>((turn) => turn + 1, 0);
  const kept = useRef<Virtualizer<HTMLElement, Element> | undefined>(undefined);
  const options = {
    count,
    getScrollElement: () => box.current,
    estimateSize: () => rowHeight,
    observeElementRect,
    observeElementOffset,
    scrollToFn: elementScroll,
    overscan: OVERSCAN,
    initialRect: { width: 0, height: 600 },
    onChange: () => show(),
  };
  const virtualizer = kept.current ??= new Virtualizer(options);
  virtualizer.setOptions(options);
  useLayoutEffect(() => virtualizer._didMount(), []);
  useLayoutEffect(() => virtualizer._willUpdate());
  const items = virtualizer.getVirtualItems();
  const size = count * rowHeight;
  return { items, above: items[0]?.start ?? 0, below: size - (items.at(-1)?.end ?? size) };
}
