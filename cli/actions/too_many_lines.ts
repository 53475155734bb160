import { CommandError } from "../command_error.ts";

/** The refusal of a voice sender with more calls at a time than the database allows. */
export function tooManyLines(): CommandError {
  return new CommandError("bad_value", "A voice sender makes 1 to 1000 calls at a time");
}
