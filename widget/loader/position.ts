/** The corner of the page that holds a widget. */
export type Placement = "bottom-right" | "bottom-left" | "top-right" | "top-left";

export const PLACEMENTS: readonly Placement[] = ["bottom-right", "bottom-left", "top-right", "top-left"];

/** The configured position of a widget's button, in pixels. */
export interface Position {
  placement: Placement;
  offset_x: number;
  offset_y: number;
  size: number;
}

/** Reads a configured position; invalid or missing parts become the defaults. */
export function parsePosition(value: unknown): Position {
  const given = Object(value) as Partial<Position>;
  return {
    placement: PLACEMENTS.find((each) => each === given.placement) ?? "bottom-right",
    offset_x: pixels(given.offset_x, 0, 500) ?? 20,
    offset_y: pixels(given.offset_y, 0, 500) ?? 20,
    size: pixels(given.size, 24, 200) ?? 60,
  };
}

function pixels(value: unknown, min: number, max: number): number | undefined {
  return typeof value === "number" && value >= min && value <= max ? value : undefined;
}

/** The position of a button, in pixels from the window's edges. */
export interface ButtonPosition {
  placement: Placement;
  offsetX: number;
  offsetY: number;
  size: number;
}

/** The distance between two buttons. */
const GAP_PX = 12;

/**
 * Returns each button's distance from its edge of the window, in the order of `positions`. A button that would cover an
 * earlier one is moved above it, or below it at the top of the window.
 */
export function stack(positions: readonly ButtonPosition[]): number[] {
  const placed: ButtonPosition[] = [];
  for (const position of positions) {
    const fixed = { ...position };
    for (let other; (other = placed.find((each) => overlap(each, fixed)));) {
      fixed.offsetY = other.offsetY + other.size + GAP_PX;
    }
    placed.push(fixed);
  }
  return placed.map(({ offsetY }) => offsetY);
}

function overlap(one: ButtonPosition, other: ButtonPosition): boolean {
  return one.placement === other.placement && meet(one.offsetX, one.size, other.offsetX, other.size) &&
    meet(one.offsetY, one.size, other.offsetY, other.size);
}

function meet(start: number, size: number, otherStart: number, otherSize: number): boolean {
  return start < otherStart + otherSize && otherStart < start + size;
}
