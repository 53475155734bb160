import { installPackages, updatePackageLists } from "./apt.ts";
import { findBinary } from "./find_binary.ts";
import type { TestPart } from "./test_plan.ts";

/**
 * Makes sure that there is an nginx when some part of a plan runs behind one: as root on Debian it is installed. Where it
 * cannot be had, those tests say themselves that they were skipped.
 */
export async function prepareProxy(
  plan: TestPart[],
  { install, report }: { install: boolean; report(line: string): void },
): Promise<void> {
  const isWanted = plan.some(({ files }) => files.some((file) => file.startsWith("tests/proxy/")));
  if (!isWanted || !install || await findBinary("nginx") !== undefined) return;
  report("Installing nginx with apt");
  const failure = await updatePackageLists() ?? await installPackages(["nginx-light"]);
  if (failure) report(failure);
}
