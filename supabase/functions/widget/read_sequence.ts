import { badFormat } from "../_shared/errors.ts";

/** The number of a message as a client gives it; undefined when it gives none. Throws `validation_failed`. */
export function readSequence(field: string, given: string | undefined): number | undefined {
  if (given === undefined || given === "") return undefined;
  if (!/^\d{1,9}$/.test(given)) throw badFormat(field, given, "the number of a message");
  return Number(given);
}
