/** The corner of the page a widget sits in. */
export type Placement = "bottom-right" | "bottom-left" | "top-right" | "top-left";

export const PLACEMENTS: readonly Placement[] = ["bottom-right", "bottom-left", "top-right", "top-left"];

/** Where a widget's button sits and how large it is, in pixels. */
export interface Position {
  placement: Placement;
  offset_x: number;
  offset_y: number;
  size: number;
}

const DEFAULTS: Position = { placement: "bottom-right", offset_x: 20, offset_y: 20, size: 60 };

/** Takes what can be used of a position, and the defaults for the rest. */
export function parsePosition(value: unknown): Position {
  const given = (typeof value === "object" && value !== null ? value : {}) as Partial<Position>;
  return {
    placement: PLACEMENTS.includes(given.placement!) ? given.placement! : DEFAULTS.placement,
    offset_x: pixels(given.offset_x, 0, 500) ?? DEFAULTS.offset_x,
    offset_y: pixels(given.offset_y, 0, 500) ?? DEFAULTS.offset_y,
    size: pixels(given.size, 24, 200) ?? DEFAULTS.size,
  };
}

function pixels(value: unknown, least: number, most: number): number | undefined {
  return typeof value === "number" && value >= least && value <= most ? value : undefined;
}
