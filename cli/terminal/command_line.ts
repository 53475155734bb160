import { parseArgs, type ParseArgsConfig } from "node:util";
import { CommandError } from "../errors/command_error.ts";
import { printError } from "./print.ts";

/**
 * Reads options that take no value, such as `--json`; one that is not given is false.
 *
 * @throws {CommandError} `usage` for any other argument
 */
export function readFlags<Name extends string>(
  args: string[],
  names: readonly Name[],
): Record<Name, boolean> {
  const flag = { type: "boolean", default: false } as const;
  const options = Object.fromEntries(names.map((name) => [name, flag]));
  return readOptions(args, options) as Record<Name, boolean>;
}

type Options = NonNullable<ParseArgsConfig["options"]>;

/**
 * Reads options as `parseArgs` of Node does.
 *
 * @throws {CommandError} `usage` for any other argument, and for an option without its value
 */
export function readOptions<const Given extends Options>(args: string[], options: Given) {
  try {
    return parseArgs({ args, options }).values;
  } catch (error) {
    throw usage(error);
  }
}

/**
 * Reads options as `readOptions` does, and the arguments that are none.
 *
 * @throws {CommandError} `usage` for an unknown option, and for an option without its value
 */
export function readArguments<const Given extends Options>(args: string[], options: Given) {
  try {
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
    return { options: values, positionals };
  } catch (error) {
    throw usage(error);
  }
}

function usage(error: unknown): CommandError {
  return new CommandError("usage", `${(error as Error).message.split(".")[0]}. Try --help`);
}

/** Runs a command and returns its exit code: 1 for a refusal, whose message goes to standard error. */
export async function exitCodeOf(command: () => Promise<number>): Promise<number> {
  try {
    return await command();
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    printError(error.message);
    return 1;
  }
}
