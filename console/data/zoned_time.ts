/** Returns a moment as a field for date and time shows it in a time zone: `2030-01-31T09:00`. */
export function timeIn(zone: string, at: string | number): string {
  // Swedish writes dates as ISO 8601 does.
  const parts = new Intl.DateTimeFormat("sv-SE", {
    timeZone: zone,
    ...{
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
      hour: "2-digit",
      minute: "2-digit",
      hour12: false,
    },
  });
  return parts.format(new Date(at)).replace(" ", "T").slice(0, 16);
}

/** Returns the moment at which clocks of a time zone show a time, in milliseconds since 1970; undefined for half a date. */
export function instantOf(time: string, zone: string): number | undefined {
  const asUtc = Date.parse(`${time}Z`);
  if (Number.isNaN(asUtc)) return undefined;
  const offset = (at: number) => Date.parse(`${timeIn(zone, at)}Z`) - at;
  return asUtc - offset(asUtc - offset(asUtc));
}

/** The viewer's own time zone. */
export function ownZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}
