import assert from "node:assert/strict";
import { type SmallDisk, withSmallDisk } from "../faults/database/small_disk.ts";
import { skipped } from "../setup/skipped.ts";
import { withTempFolder } from "../setup/temp_folder.ts";
import { refusedStart, withStart } from "./run_start.ts";

async function onSmallDisk(
  test: string,
  megabytes: number,
  fn: (disk: SmallDisk) => Promise<void>,
): Promise<void> {
  await withTempFolder(async (folder) => {
    const missing = await withSmallDisk(`${folder}/disk`, { megabytes }, fn);
    if (missing) skipped(test, missing);
  });
}

async function assertRefused(home: string, why: RegExp): Promise<void> {
  const { code, stderr } = await refusedStart({ OUTBOUND_HOME: home, PORT: "0" });

  assert.match(stderr, why);
  assert.equal(stderr.split("\n").length, 2, stderr);
  assert.equal(code, 1);
}

const FULL =
  /^OUTBOUND_HOME .* cannot be used: its disk is full\. Free some space, or set OUTBOUND_HOME to a /;
const READ_ONLY =
  /^OUTBOUND_HOME .* cannot be used: its disk is read-only\. Set OUTBOUND_HOME to a folder on /;

const EMPTY = "start says in one sentence that the disk has no room for a new home";
Deno.test(EMPTY, () => onSmallDisk(EMPTY, 30, ({ folder }) => assertRefused(`${folder}/home`, FULL)));

const USED =
  "start says in one sentence that the disk of a home is full, or read-only, and works when it has room again";
Deno.test(USED, () =>
  onSmallDisk(USED, 300, async (disk) => {
    const home = `${disk.folder}/home`;
    await withStart({ OUTBOUND_HOME: home }, () => Promise.resolve());

    await disk.fill();
    await assertRefused(home, FULL);
    await disk.setReadOnly(true);
    await assertRefused(home, READ_ONLY);
    await disk.setReadOnly(false);
    await disk.free();
    await withStart({ OUTBOUND_HOME: home }, async ({ stack }) => {
      const health = await fetch(`${stack.base_url}/health`);
      assert.equal((await health.json()).status, "ok");
    });
  }));
