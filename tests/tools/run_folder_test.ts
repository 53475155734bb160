import assert from "node:assert/strict";
import { withTempFolder } from "../setup/temp_folder.ts";
import { sweepDeadRuns } from "./run_folder.ts";

/** The process id of a program that has ended. */
async function deadPid(): Promise<number> {
  const child = new Deno.Command(Deno.execPath(), { args: ["--version"], stdout: "null" }).spawn();
  await child.status;
  return child.pid;
}

Deno.test("sweepDeadRuns() removes what dead runs left and touches nothing else", () =>
  withTempFolder(async (parent) => {
    const kept = [`outbound-test-${Deno.pid}-alive`, "outbound-test-f00", "other-1-x"];
    const dead = `outbound-test-${await deadPid()}-dead`;
    for (const name of [...kept, dead]) await Deno.mkdir(`${parent}/${name}/pg/data`, { recursive: true });

    await sweepDeadRuns(parent);

    const left = await Array.fromAsync(Deno.readDir(parent), (entry) => entry.name);
    assert.deepEqual(left.sort(), kept.sort());
  }));
