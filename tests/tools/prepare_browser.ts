import { findChromium } from "../browser/find_chromium.ts";
import { installPackages, updatePackageLists } from "./apt.ts";
import type { TestPart } from "./test_plan.ts";

/**
 * Makes sure that there is a Chromium when some part of a plan drives one: as root on Debian it is installed. Where it
 * cannot be had, those tests say themselves that they were skipped.
 */
export async function prepareBrowser(
  plan: TestPart[],
  { install, report }: { install: boolean; report(line: string): void },
): Promise<void> {
  const isWanted = plan.some(({ files }) => files.some((file) => file.startsWith("tests/browser/")));
  if (!isWanted || !install || findChromium() !== undefined) return;
  report("Installing Chromium with apt");
  const failure = await updatePackageLists() ?? await installPackages(["chromium"]);
  if (failure) report(failure);
}
