import type { Placement } from "../shared/positions.ts";

/** Where a button is configured to be, in pixels from the window's edges. */
export interface Place {
  placement: Placement;
  offsetX: number;
  offsetY: number;
  size: number;
}

/** What two buttons have between them. */
const GAP_PX = 12;

/**
 * The distance of each button from its edge of the window, in the order of `places`: its own, or, where it would lie on
 * an earlier one, above that one (at the top: below it).
 */
export function stack(places: readonly Place[]): number[] {
  const placed: Place[] = [];
  for (const place of places) {
    const fixed = { ...place };
    for (let other; (other = placed.find((each) => overlap(each, fixed)));) {
      fixed.offsetY = other.offsetY + other.size + GAP_PX;
    }
    placed.push(fixed);
  }
  return placed.map(({ offsetY }) => offsetY);
}

function overlap(one: Place, other: Place): boolean {
  return one.placement === other.placement && meet(one.offsetX, one.size, other.offsetX, other.size) &&
    meet(one.offsetY, one.size, other.offsetY, other.size);
}

function meet(start: number, size: number, otherStart: number, otherSize: number): boolean {
  return start < otherStart + otherSize && otherStart < start + size;
}
