import { InvalidArgumentError } from "commander";

const WITH_ZONE = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/;

/** Reads a moment that is still to come, written with its zone so that it means the same everywhere. */
export function futureTime(value: string): Date {
  const time = new Date(value);
  if (!WITH_ZONE.test(value) || Number.isNaN(time.getTime())) {
    throw new InvalidArgumentError("Expected a time with its zone, such as 2030-01-31T18:00Z.");
  }
  if (time.getTime() <= Date.now()) throw new InvalidArgumentError("Expected a time in the future.");
  return time;
}
