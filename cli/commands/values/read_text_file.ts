import { text } from "node:stream/consumers";
import process from "node:process";
import { CommandError } from "../../command_error.ts";

/**
 * Reads a text file; `-` is standard input.
 *
 * @throws {CommandError} `bad_value` when it cannot be read
 */
export async function readTextFile(path: string): Promise<string> {
  try {
    return path === "-" ? await text(process.stdin) : await Deno.readTextFile(path);
  } catch (cause) {
    throw new CommandError("bad_value", `${path} cannot be read`, { cause });
  }
}
