import type { TimelineEntry } from "../../data/sdk.ts";
import { moment } from "../../i18n/format.ts";

/** Returns the entries by days, in their order. */
export function daysOf(entries: TimelineEntry[]): { day: string; entries: TimelineEntry[] }[] {
  const days = Map.groupBy(entries, ({ at }) => moment(at, { style: "weekday" }));
  return [...days].map(([day, entries]) => ({ day, entries }));
}

/** Leaves out opt-outs and consents that are there for another address of the person already. */
export function onceEach(entries: TimelineEntry[]): TimelineEntry[] {
  const seen = new Set<string>();
  return entries.filter(({ kind, at, opt_out, consent }) => {
    const said = opt_out ?? consent;
    if (said === undefined) return true;
    const name = JSON.stringify([kind, at, { ...said, address: undefined }]);
    return !seen.has(name) && seen.add(name);
  });
}
