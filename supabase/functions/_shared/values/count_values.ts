/** A full request of 100 contacts with a hundred fields each has half as many. */
export const MAX_VALUES = 20_000;

/**
 * Returns how many values JSON holds, itself included; Infinity where they are nested deeper than `maxLevels`. It stops
 * soon after `MAX_VALUES`, and its recursion ends at `maxLevels`: a megabyte of `[` does not exhaust the stack.
 */
export function countValues(root: unknown, maxLevels: number): number {
  let values = 0;

  function count(value: unknown, level: number): void {
    if (level > maxLevels) values = Infinity;
    if (++values > MAX_VALUES || typeof value !== "object" || value === null) return;
    for (const field of Array.isArray(value) ? value : Object.values(value)) {
      count(field, level + 1);
      if (values > MAX_VALUES) return;
    }
  }

  count(root, 0);
  return values;
}
