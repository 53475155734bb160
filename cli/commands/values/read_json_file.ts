import { CommandError } from "../../command_error.ts";
import { readTextFile } from "./read_text_file.ts";

/**
 * Reads a JSON file; `-` is standard input.
 *
 * @throws {CommandError} `bad_value` when it cannot be read or is no JSON
 */
export async function readJsonFile(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readTextFile(path));
  } catch (cause) {
    if (cause instanceof CommandError) throw cause;
    throw new CommandError("bad_value", `${path} is not valid JSON`, { cause });
  }
}
