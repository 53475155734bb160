import { InvalidArgumentError } from "commander";
import { EVENT_TYPES, type EventType } from "../../../supabase/functions/_shared/events_out/event_types.ts";

/** Reads event types separated by commas. */
export function eventTypes(value: string): EventType[] {
  const names = [...new Set(value.split(",").map((name) => name.trim()))];
  const known = (name: string): name is EventType => (EVENT_TYPES as readonly string[]).includes(name);
  if (!names.every(known)) {
    throw new InvalidArgumentError(`Expected some of ${EVENT_TYPES.join(", ")}, separated by commas.`);
  }
  return names;
}
