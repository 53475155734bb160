import { CommandError } from "../command_error.ts";
import type { BuiltFile } from "./manifest.ts";
import { LIMITS, type WeightLimit } from "./parts.ts";

/**
 * Refuses a build that weighs too much: every visitor of every page pays for it.
 *
 * @throws {CommandError} `too_heavy`
 */
export function refuseHeavy(files: Record<string, Pick<BuiltFile, "gzip_bytes">>, limits = LIMITS): void {
  for (const { parts, most } of limits) {
    const weight = weightOf(files, parts);
    if (weight > most) {
      throw new CommandError(
        "too_heavy",
        `${parts.join(" + ")} weighs ${weight} bytes (gzip), and ${most} is the most it may`,
      );
    }
  }
}

function weightOf(files: Record<string, Pick<BuiltFile, "gzip_bytes">>, parts: WeightLimit["parts"]): number {
  return parts.reduce((sum, part) => sum + (files[part]?.gzip_bytes ?? 0), 0);
}
