/**
 * The effects of routes and tools on a company. `reads` shows what is there; `stops` ends something, or keeps a person from
 * being written to; `acts` is all the rest: it accepts, sends, invites, calls, exports or changes.
 */
export const EFFECTS = ["reads", "stops", "acts"] as const;

export type Effect = typeof EFFECTS[number];

/**
 * Returns whether a company may do something. While its API access is off, nothing new begins, for a key, a
 * member or an agent. What is there can be read and stopped, and what was accepted before still leaves.
 */
export function mayHappen(effect: Effect, { api_access }: { api_access: boolean }): boolean {
  return api_access || effect !== "acts";
}
