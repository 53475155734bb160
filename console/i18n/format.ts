import { locale } from "./language.ts";

/** Formats a whole number with separators. */
export function count(value: number): string {
  return new Intl.NumberFormat(locale.value).format(value);
}

/** Formats a share of a whole, with one decimal below 10 %; a dash where there is no whole. */
export function percent(part: number, whole: number): string {
  if (whole === 0) return "–";
  const share = part / whole;
  const digits = share > 0 && share < 0.1 ? 1 : 0;
  // 99.9 % delivered is not all of them.
  const shown = part < whole ? Math.min(share, 0.99) : share;
  return new Intl.NumberFormat(locale.value, { style: "percent", maximumFractionDigits: digits }).format(
    shown,
  );
}

/** Formats seconds in the two largest units: `2 h 5 min`. */
export function duration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const parts = [
    [Math.floor(whole / 86_400), "day"],
    [Math.floor(whole / 3600) % 24, "hour"],
    [Math.floor(whole / 60) % 60, "minute"],
    [whole % 60, "second"],
  ] as const;
  const first = parts.findIndex(([value]) => value > 0);
  if (first < 0) return unit(0, "second");
  return parts.slice(first, first + 2).filter(([value]) => value > 0).map(([value, name]) =>
    unit(value, name)
  )
    .join(" ");
}

/** Formats milliseconds as they are: `130 ms`. */
export function milliseconds(value: number): string {
  return `${count(value)} ms`;
}

/** Formats a moment for a field of the type `datetime-local`, in the viewer's time zone. */
export function localTime(at: string | number): string {
  const time = new Date(at);
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

function unit(value: number, name: "day" | "hour" | "minute" | "second"): string {
  return new Intl.NumberFormat(locale.value, { style: "unit", unit: name, unitDisplay: "short" }).format(
    value,
  );
}

/** Further away than this, the year says more than the hour. */
const NEAR_MS = 180 * 86_400_000;

/** Formats a moment in a time zone; the viewer's if none is given. */
export function moment(
  at: string | number,
  { zone, style = "short" }: {
    zone?: string | undefined;
    style?: "short" | "full" | "clock" | "seconds" | "zoned" | "day" | "weekday";
  } = {},
): string {
  const isNear = Math.abs(Date.now() - new Date(at).getTime()) < NEAR_MS;
  const forms: Record<string, Intl.DateTimeFormatOptions> = {
    clock: { hour: "2-digit", minute: "2-digit" },
    seconds: { hour: "2-digit", minute: "2-digit", second: "2-digit" },
    zoned: {
      ...(!isNear && { year: "numeric" }),
      ...{ day: "numeric", month: "short", hour: "2-digit", minute: "2-digit", timeZoneName: "short" },
    },
    day: { day: "numeric", month: "short" },
    weekday: { weekday: "long", day: "numeric", month: "long" },
    short: isNear
      ? { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" }
      : { day: "numeric", month: "short", year: "numeric" },
    full: { dateStyle: "medium", timeStyle: "long" },
  };
  return new Intl.DateTimeFormat(locale.value, { ...forms[style], ...(zone && { timeZone: zone }) })
    .format(new Date(at));
}

/** Returns a country's name; the text itself where it is no code of a country. */
export function country(code: string): string {
  try {
    return new Intl.DisplayNames(locale.value, { type: "region" }).of(code) ?? code;
  } catch {
    return code;
  }
}

/** Returns the short name of a day of the week: 0 is Monday. */
export function weekday(day: number): string {
  // The first of January 2024 was a Monday.
  return new Intl.DateTimeFormat(locale.value, { weekday: "short", timeZone: "UTC" })
    .format(Date.UTC(2024, 0, 1 + day));
}

/** Formats a phone number as the API returns it: digits without a plus sign. */
export function phone(number: string | null): string {
  return number === null ? "–" : `+${number}`;
}
