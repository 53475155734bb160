import { respond } from "./respond.ts";
import { publicHolidays } from "./holidays.ts";

interface Wanted {
  calendars: string[];
  years: number[];
}

/** Returns the dates of the public holidays of calendars. */
if (import.meta.main) {
  await respond(({ calendars, years }: Wanted) => ({
    dates: calendars.map((calendar) => publicHolidays(calendar, years).flat()),
  }));
}
