import { InvalidArgumentError } from "commander";

const UUID = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** Checks an id given on the command line. */
export function uuid(value: string): string {
  if (!UUID.test(value)) {
    throw new InvalidArgumentError("Expected an id such as 0193a1b2-0000-4000-8000-0123456789ab.");
  }
  return value.toLowerCase();
}
