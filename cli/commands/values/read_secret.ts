import { text } from "node:stream/consumers";
import process from "node:process";
import { CommandError } from "../../command_error.ts";

/**
 * A password or token from the command line; `-` reads it from standard input, so that it stays out of the shell's
 * history and of the list of processes.
 *
 * @throws {CommandError} `bad_value` when it is empty
 */
export async function readSecret(option: string, value: string): Promise<string> {
  const secret = value === "-" ? (await text(process.stdin)).replace(/\r?\n$/, "") : value;
  if (secret === "") throw new CommandError("bad_value", `${option} is empty`);
  return secret;
}
