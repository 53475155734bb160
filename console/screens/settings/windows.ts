import type { OwnSendingHours } from "../../data/sdk.ts";
import { weekday } from "../../i18n/format.ts";

/** The hours of each day of a week. */
export type Windows = OwnSendingHours["windows"];

const DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;

type Day = typeof DAYS[number];

/** Writes hours for people: `Mon–Fri 09:00–14:00, 16:00–21:00; Sat 10:00–14:00`. */
export function describeWindows(windows: Windows): string {
  const parts: { days: Day[]; hours: string }[] = [];
  for (const day of DAYS) {
    const hours = (windows[day] ?? []).map((each) => each.join("–")).join(", ");
    if (hours === "") continue;
    const last = parts.at(-1);
    const isNext = last !== undefined && DAYS.indexOf(last.days.at(-1)!) === DAYS.indexOf(day) - 1;
    if (isNext && last.hours === hours) last.days.push(day);
    else parts.push({ days: [day], hours });
  }
  return parts.map(({ days, hours }) => {
    const ends = days.length > 1 ? [days[0]!, days.at(-1)!] : days;
    return `${ends.map((day) => weekday(DAYS.indexOf(day))).join("–")} ${hours}`;
  }).join("; ");
}

/**
 * Reads hours as operators write them on the command line: `mon-fri 09:00-14:00,16:00-21:00; sat 10:00-14:00`. Returns
 * undefined for any other text. The API checks the times.
 */
export function readWindows(text: string): Windows | undefined {
  const windows: Windows = {};
  for (const part of text.toLowerCase().split(";").map((each) => each.trim()).filter(Boolean)) {
    const [, days = "", hours = ""] = /^([a-z,-]+)\s([\d:,\s-]+)$/.exec(part) ?? [];
    const named = days.split(",").flatMap(daysIn);
    const times = hours.split(",").map((each) => each.trim().split("-").map((time) => time.trim()));
    if (named.length === 0 || named.includes(undefined) || times.some((each) => each.length !== 2)) {
      return undefined;
    }
    for (const day of named) windows[day!] = times as [string, string][];
  }
  return Object.keys(windows).length === 0 ? undefined : windows;
}

/** `mon-fri` or `sat`; undefined stands for what is not a day. */
function daysIn(text: string): (Day | undefined)[] {
  const [from, to] = text.split("-").map((name) => DAYS.indexOf(name.trim() as Day));
  if (from === undefined || from < 0 || (to !== undefined && to < from)) return [undefined];
  return DAYS.slice(from, (to ?? from) + 1);
}
