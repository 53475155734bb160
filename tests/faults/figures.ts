/** Prints what a test measured. */
export function printFigures(test: string, figures: Record<string, string | number>): void {
  const text = Object.entries(figures).map(([name, value]) => `${name} ${value}`).join(", ");
  Deno.stdout.writeSync(new TextEncoder().encode(`${test}: ${text}\n`));
}

/** The value below which this share of the values lies, such as 0.99. */
export function percentile(values: number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? NaN;
}
