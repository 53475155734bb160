import { parseArgs } from "node:util";
import { CommandError } from "./command_error.ts";

/**
 * Reads options that take no value, such as `--json`; one that is not given is false.
 *
 * @throws {CommandError} `usage` for whatever else stands on the command line
 */
export function readFlags<Name extends string>(
  args: string[],
  names: readonly Name[],
): Record<Name, boolean> {
  const flag = { type: "boolean", default: false } as const;
  try {
    const { values } = parseArgs({ args, options: Object.fromEntries(names.map((name) => [name, flag])) });
    return values as Record<Name, boolean>;
  } catch (error) {
    throw new CommandError("usage", `${(error as Error).message.split(".")[0]}. Try --help`);
  }
}
