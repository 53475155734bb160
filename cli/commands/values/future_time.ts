import { InvalidArgumentError } from "commander";
import { instant } from "./instant.ts";

/** Reads a moment that is still to come, written with its zone so that it means the same everywhere. */
export function futureTime(value: string): Date {
  const time = instant(value);
  if (time.getTime() <= Date.now()) throw new InvalidArgumentError("Expected a time in the future.");
  return time;
}
