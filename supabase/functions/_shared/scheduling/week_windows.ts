import { z } from "@hono/zod-openapi";

/** The days of the week, Sunday first, as `Date` counts them. */
export const WEEKDAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"] as const;
export type Weekday = typeof WEEKDAYS[number];

/** As people list them. */
const FROM_MONDAY: Weekday[] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];

/** One part of a day by the clock on the wall: the first moment inside, and the first that is outside again. */
export type Window = [from: string, until: string];

/** The windows of each day of a week. A day that is missing has none. */
export type WeekWindows = { [Day in Weekday]?: Window[] | undefined };

const MAX_WINDOWS_PER_DAY = 10;

const FROM = /^([01]\d|2[0-3]):[0-5]\d$/;
const UNTIL = /^(([01]\d|2[0-3]):[0-5]\d|24:00)$/;

const windowSchema = z.tuple([
  z.string().regex(FROM, "expected a time such as 09:00"),
  z.string().regex(UNTIL, "expected a time such as 21:00, 24:00 at most"),
]).refine(([from, until]) => from < until, "a window must begin before it ends, on one day")
  .openapi({
    description: "From and until",
    type: "array",
    items: { type: "string", pattern: UNTIL.source },
    minItems: 2,
    maxItems: 2,
  });

const daySchema = z.array(windowSchema).max(MAX_WINDOWS_PER_DAY)
  .refine(
    (windows) => windows.every(([from], index) => index === 0 || windows[index - 1]![1] <= from),
    "windows of a day must be in order and must not overlap",
  );

/** The form of the windows of a week, at least one of them. */
export const weekWindowsSchema: z.ZodType<WeekWindows> = z.strictObject(
  Object.fromEntries(FROM_MONDAY.map((day) => [day, daySchema.optional()])) as Record<
    Weekday,
    z.ZodOptional<typeof daySchema>
  >,
).refine(
  (week) => Object.values(week).some((windows) => (windows?.length ?? 0) > 0),
  "at least one day must have a window",
);

/**
 * Reads windows as operators write them: days, or a range of them, then windows separated by commas; parts separated by
 * semicolons. A later part replaces the days that it names. Null when the text has another form.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { readWindows } from "./week_windows.ts";
 *
 * const week = readWindows("mon-tue 09:00-14:00,16:00-21:00; sat 10:00-14:00");
 * assert.deepEqual(week?.sat, [["10:00", "14:00"]]);
 * ```
 */
export function readWindows(text: string): WeekWindows | null {
  const week: WeekWindows = {};
  for (const part of text.split(";").map((each) => each.trim().toLowerCase()).filter((each) => each !== "")) {
    const [, days = "", windows = ""] = /^([a-z,-]+)\s(.+)$/s.exec(part) ?? [];
    const named = days.split(",").flatMap(readDays);
    if (days === "" || named.includes(null)) return null;
    const read = windows.split(",").map((window) => window.trim().split("-") as Window);
    named.forEach((day) => week[day!] = read);
  }
  const checked = weekWindowsSchema.safeParse(week);
  return checked.success ? checked.data : null;
}

function readDays(text: string): (Weekday | null)[] {
  const [first, last = first, ...more] = text.split("-").map((day) => FROM_MONDAY.indexOf(day as Weekday));
  if (first === undefined || first < 0 || last! < first || more.length > 0) return [null];
  return FROM_MONDAY.slice(first, last! + 1);
}

/** Writes windows in the form that `readWindows` reads: `mon-fri 09:00-21:00; sat 10:00-16:00`. */
export function describeWindows(week: WeekWindows): string {
  const parts: { first: Weekday; last: Weekday; text: string }[] = [];
  let isAfterPart = false;
  for (const day of FROM_MONDAY) {
    const text = (week[day] ?? []).map((window) => window.join("-")).join(",");
    const before = parts.at(-1);
    if (text !== "" && isAfterPart && before?.text === text) before.last = day;
    else if (text !== "") parts.push({ first: day, last: day, text });
    isAfterPart = text !== "";
  }
  return parts.map(({ first, last, text }) => `${first === last ? first : `${first}-${last}`} ${text}`).join(
    "; ",
  );
}
