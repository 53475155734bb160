/** The middle value; of an even number of values the mean of the two in the middle. */
export function median(values: number[]): number {
  return percentile(values, 0.5);
}

/** The value below which `share` of the values lie, between the two nearest where it falls between. */
export function percentile(values: number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const position = (sorted.length - 1) * share;
  const [low = NaN, high = NaN] = [sorted[Math.floor(position)], sorted[Math.ceil(position)]];
  return low + (high - low) * (position - Math.floor(position));
}
