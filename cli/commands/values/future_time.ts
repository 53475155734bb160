import { InvalidArgumentError } from "commander";

/** Reads a moment that is still to come, written with its zone so that it means the same everywhere. */
export function futureTime(value: string): Date {
  const time = readInstant(value);
  if (time === undefined) {
    throw new InvalidArgumentError("Expected a time with its zone, such as 2030-01-31T18:00Z.");
  }
  if (time.getTime() <= Date.now()) throw new InvalidArgumentError("Expected a time in the future.");
  return time;
}

/** `Temporal` refuses 31 February and times without a zone; `Date` takes both. */
function readInstant(value: string): Date | undefined {
  try {
    return new Date(Temporal.Instant.from(value).epochMilliseconds);
  } catch {
    return undefined;
  }
}
