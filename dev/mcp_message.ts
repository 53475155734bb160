/** A request to the official client of the Model Context Protocol. */
export type McpAsked =
  | { connect: string; token: string }
  /** Begins to connect without a token: returns where the person's browser has to go (`leads_to`). */
  | { knock: string; redirectUrl: string }
  /** Goes on with the code that the browser came back with. One client waits at a time. */
  | { code: string }
  /** `agent`: which of the connected ones, counted from 0. */
  | { agent: number; tool: string; args: Record<string, unknown> };
