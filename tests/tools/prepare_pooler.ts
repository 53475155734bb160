import { findPgbouncer, installPgbouncer } from "./pgbouncer_binary.ts";
import type { TestPart } from "./test_plan.ts";

const BEHIND_A_POOLER = /^tests\/faults\/(failover|pooler)_test\.ts$/;

/**
 * Makes sure that there is a PgBouncer when some part of a plan runs behind one: as root on Debian it is installed. Where
 * it cannot be had, those tests say themselves that they were skipped.
 */
export async function preparePooler(
  plan: TestPart[],
  { install, report }: { install: boolean; report(line: string): void },
): Promise<void> {
  const isWanted = plan.some(({ files }) => files.some((file) => BEHIND_A_POOLER.test(file)));
  if (!isWanted || !install || await findPgbouncer() !== undefined) return;
  report("Installing PgBouncer with apt");
  const failure = await installPgbouncer();
  if (failure) report(failure);
}
