import { directionOf, language, locale } from "./language.ts";

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

/** Formats an amount of money, with as many digits as a price of a message needs. */
export function money(amount: string, currency: string): string {
  const value = Number(amount);
  const digits = value !== 0 && Math.abs(value) < 1 ? 4 : 2;
  return new Intl.NumberFormat(locale.value, {
    style: "currency",
    currency,
    minimumFractionDigits: 2,
    maximumFractionDigits: digits,
  }).format(value);
}

/** Formats by how much a number differs from an earlier one; undefined where there was none to compare with. */
export function change(now: number, before: number): string | undefined {
  if (before === 0) return undefined;
  const form = { style: "percent", maximumFractionDigits: 0, signDisplay: "exceptZero" } as const;
  return new Intl.NumberFormat(locale.value, form).format(now / before - 1);
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

/** Formats the size of a file: `48 kB`, `1.2 MB`. */
export function fileSize(bytes: number): string {
  const [value, name] = bytes < 1_000_000
    ? [Math.ceil(bytes / 1000), "kilobyte"]
    : [bytes / 1_000_000, "megabyte"];
  return new Intl.NumberFormat(locale.value, {
    style: "unit",
    unit: name as string,
    maximumFractionDigits: 1,
  })
    .format(value as number);
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

/** Further away than this, in another year, the year says more than the hour. */
const NEAR_MS = 180 * 86_400_000;

const HOUR = { hour: "2-digit", minute: "2-digit" } as const;
const DAY = { day: "numeric", month: "short" } as const;

const FORMS = {
  clock: HOUR,
  seconds: { ...HOUR, second: "2-digit" },
  day: DAY,
  weekday: { weekday: "long", day: "numeric", month: "long" },
  full: { dateStyle: "medium", timeStyle: "long" },
  near: { ...DAY, ...HOUR },
  far: { ...DAY, year: "numeric" },
  zoned: { ...DAY, ...HOUR, timeZoneName: "short" },
  zonedFar: { ...DAY, ...HOUR, year: "numeric", timeZoneName: "short" },
  date: { day: "numeric", month: "numeric", year: "numeric" },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>;

/** To make one takes longer than to use it a hundred times. */
const formatters = new Map<string, Intl.DateTimeFormat>();

function format(form: keyof typeof FORMS, at: string | number, zone: string | undefined): string {
  const key = `${locale.value} ${form} ${zone}`;
  const known = formatters.get(key) ??
    new Intl.DateTimeFormat(locale.value, { ...FORMS[form], ...(zone && { timeZone: zone }) });
  formatters.set(key, known);
  return known.format(new Date(at));
}

/** Formats a moment in a time zone, the viewer's if none is given; `short` leaves out what today and this year have. */
export function moment(
  at: string | number,
  { zone, style = "short" }: {
    zone?: string | undefined;
    style?: "short" | "full" | "clock" | "seconds" | "zoned" | "day" | "weekday";
  } = {},
): string {
  if (style !== "short" && style !== "zoned") return format(style, at, zone);
  const now = Date.now();
  const isNear = Math.abs(now - new Date(at).getTime()) < NEAR_MS ||
    new Date(at).getFullYear() === new Date(now).getFullYear();
  if (style === "zoned") return format(isNear ? "zoned" : "zonedFar", at, zone);
  if (format("date", at, zone) === format("date", now, zone)) return format("clock", at, zone);
  return format(isNear ? "near" : "far", at, zone);
}

/** Returns a country's name; the text itself where it is no code of a country. */
export function country(code: string): string {
  try {
    return new Intl.DisplayNames(locale.value, { type: "region" }).of(code) ?? code;
  } catch {
    return code;
  }
}

/** Returns a language's name by its code, such as `es` or `pt_BR`; the code itself where it is none. */
export function languageName(code: string): string {
  try {
    return new Intl.DisplayNames(locale.value, { type: "language" }).of(code.replace("_", "-")) ?? code;
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

/** Around a text that is read from the left, whatever is around it. */
const FROM_LEFT = ["\u2066", "\u2069"] as const;

/** Formats a phone number as the API returns it: digits without a plus sign. */
export function phone(number: string | null): string {
  if (number === null) return "–";
  const text = `+${number}`;
  return directionOf(language.value) === "ltr" ? text : FROM_LEFT.join(text);
}
