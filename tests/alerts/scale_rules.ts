/** How often the seconds of a unit fit in it. */
const SECONDS: Record<string, number> = { s: 1, m: 60, h: 3600 };

/** Divides the times of alerting rules: ranges, `for` and `keep_firing_for`. Thresholds stay as they are. */
export function scaleRules(text: string, by: number): string {
  return text.replace(
    /(\[|^ *(?:for|keep_firing_for): )(\d+)([smh])(?=\]|$)/gm,
    (_, before, count, unit) => `${before}${Math.ceil(Number(count) * SECONDS[unit]! * 1000 / by)}ms`,
  );
}
