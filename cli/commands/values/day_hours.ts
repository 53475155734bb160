import { InvalidArgumentError } from "commander";

const FORM = /^((?:[01]\d|2[0-3]):[0-5]\d)-((?:[01]\d|2[0-3]):[0-5]\d|24:00)$/;

/** Reads part of a day, `08:00-21:00`; null for `off`. */
export function dayHours(value: string): { from: string; until: string } | null {
  if (value === "off") return null;
  const [, from, until] = FORM.exec(value) ?? [];
  if (!from || !until || from >= until) {
    throw new InvalidArgumentError("Expected hours such as 08:00-21:00, 24:00 at most, or off.");
  }
  return { from, until };
}
