import { InvalidArgumentError } from "commander";

/** Reads a moment, written with its zone so that it means the same everywhere. */
export function instant(value: string): Date {
  try {
    // `Temporal` refuses 31 February and times without a zone; `Date` takes both.
    return new Date(Temporal.Instant.from(value).epochMilliseconds);
  } catch {
    throw new InvalidArgumentError("Expected a time with its zone, such as 2030-01-31T18:00Z.");
  }
}
