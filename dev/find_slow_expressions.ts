import { checkSync } from "recheck";
import { respond } from "./respond.ts";
import type { Expression } from "./expression.ts";

/** A busy machine may take its time; an idle one takes 2 s for the slowest expression. */
const TIMEOUT_MS = 60_000;

/** Returns why an expression may take more than linear time on some text; null for one that never does. */
function slownessOf({ source, flags }: Expression): string | null {
  const result = checkSync(source, flags, { timeout: TIMEOUT_MS });
  if (result.status === "safe") return null;
  return result.status === "vulnerable" ? result.complexity.summary : result.error.kind;
}

if (import.meta.main) {
  await respond((expressions: Expression[]) => expressions.map(slownessOf));
  // The checker keeps a thread of its own, where it has no native program.
  Deno.exit();
}
