/** A request to the official client of the Model Context Protocol. */
export type McpAsked =
  | { connect: string; token: string }
  /** `agent`: which of the connected ones, counted from 0. */
  | { agent: number; tool: string; args: Record<string, unknown> };
