/** Times before 2020, or more than a day ahead of now, are nonsense; `now` stands in for them. */
export function possibleTime(unixSeconds: number, now: Date): Date {
  const at = unixSeconds * 1000;
  return at >= Date.UTC(2020, 0) && at <= now.getTime() + 24 * 60 * 60 * 1000 ? new Date(at) : now;
}
