import { Problem } from "../../data/problem.ts";

/** Throws what was wrong with the only entry of a request, as if the request had been refused. */
export function requireRecorded({ errors: [error] }: { errors: { field: string; reason: string }[] }): void {
  if (error === undefined) return;
  throw new Problem("validation_failed", error.reason, { details: { field: error.field } });
}
