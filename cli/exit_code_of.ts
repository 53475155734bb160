import { CommandError } from "./command_error.ts";
import { printError } from "./print.ts";

/** Runs a command and answers its exit code: 1 for a refusal, which is told in one line on standard error. */
export async function exitCodeOf(command: () => Promise<number>): Promise<number> {
  try {
    return await command();
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    printError(error.message);
    return 1;
  }
}
