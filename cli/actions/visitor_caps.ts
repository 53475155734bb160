import { CommandError } from "../command_error.ts";

/** What visitors may use up in a day (UTC), of one widget or of all widgets of a company. */
export interface VisitorCaps {
  voiceSessions: number;
  voiceMinutes: number;
  conversations: number;
  storedMb: number;
}

/** The caps to change; what is left out stays. */
export type CapChanges = { [Name in keyof VisitorCaps]?: VisitorCaps[Name] | undefined };

/** The refusal for a cap that cannot be. */
export function badCap(): CommandError {
  return new CommandError(
    "bad_value",
    "Caps are whole numbers from 0; the longest session has 1 to 45 minutes",
  );
}
