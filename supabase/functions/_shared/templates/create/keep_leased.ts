import type { Sql } from "../../db/connect.ts";
import { leaseSubmission, type SubmissionId } from "../../db/template_submissions.ts";

/** How long a submission counts as being worked on after its process died. */
export const LEASE_S = 15;

const RENEW_MS = 5000;

/**
 * Renews the lease of a submission until `stop()`. A renewal that fails is left at that: the next one may succeed, and a
 * lease that runs out only lets a repeated request look for itself.
 */
export function keepLeased(sql: Sql, id: SubmissionId): { stop(): Promise<void> } {
  let renewing = Promise.resolve();
  const renew = () => void (renewing = leaseSubmission(sql, id, LEASE_S).catch(() => {}));
  const timer = setInterval(renew, RENEW_MS);
  return {
    async stop() {
      clearInterval(timer);
      await renewing;
    },
  };
}
