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

/** Formats a moment in a time zone; the viewer's if none is given. */
export function moment(
  at: string | number,
  { zone, style = "short" }: {
    zone?: string | undefined;
    style?: "short" | "full" | "clock" | "day" | "weekday";
  } = {},
): string {
  const forms: Record<string, Intl.DateTimeFormatOptions> = {
    clock: { hour: "2-digit", minute: "2-digit" },
    day: { day: "numeric", month: "short" },
    weekday: { weekday: "long", day: "numeric", month: "long" },
    short: { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" },
    full: { dateStyle: "medium", timeStyle: "long" },
  };
  return new Intl.DateTimeFormat(locale.value, { ...forms[style], ...(zone && { timeZone: zone }) })
    .format(new Date(at));
}

/** Formats a phone number as the API returns it: digits without a plus sign. */
export function phone(number: string | null): string {
  return number === null ? "–" : `+${number}`;
}
