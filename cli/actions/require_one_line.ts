import { isOneLine, WITHOUT_CONTROLS } from "../../supabase/functions/_shared/control_characters.ts";
import { CommandError } from "../command_error.ts";

/**
 * Refuses names and ids with line ends or other control characters.
 *
 * @param fields each text by what it is, as the message names it
 * @throws {CommandError} `bad_value`
 */
export function requireOneLine(fields: Record<string, string | null | undefined>): void {
  for (const [name, text] of Object.entries(fields)) {
    if (typeof text !== "string" || isOneLine(text)) continue;
    throw new CommandError("bad_value", `The ${name} must be one line of ${WITHOUT_CONTROLS}`);
  }
}
