import type { CommandError } from "../command_error.ts";

/**
 * Waits for a write and turns the breach of a named constraint into a refusal; the constraint decides, so two
 * commands at once cannot slip past it. Other errors pass through.
 */
export async function refuseOnConstraint<T>(
  write: Promise<T>,
  refusals: Record<string, () => CommandError>,
): Promise<T> {
  try {
    return await write;
  } catch (error) {
    const refusal = refusals[(error as { constraint_name?: string }).constraint_name ?? ""];
    throw refusal?.() ?? error;
  }
}
