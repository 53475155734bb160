import type { Variables } from "./profiles.ts";
import type { Terminal } from "./terminal.ts";

/** The surroundings of a command. */
export interface Program {
  env: Variables;
  terminal: Terminal;
}
