import { instantOf } from "../../../data/zoned_time.ts";
import type { Choices } from "../draft.ts";

/** Returns the one moment for which a campaign is planned; undefined where it is none, or not known yet. */
export function plannedAt({ start, at, zone }: Choices): number | undefined {
  return start === "later" ? instantOf(at, zone) : undefined;
}
