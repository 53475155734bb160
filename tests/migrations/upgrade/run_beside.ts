import { eventually } from "../../setup/eventually.ts";
import assert from "node:assert/strict";
import type { Release, Version } from "./releases.ts";

/** A call of a version that failed, and why. */
export interface Failure {
  call: string;
  message: string;
}

/** A version at work on a database, and a record of its work. */
export interface Beside {
  version: Version;
  sql: ReturnType<Version["connect"]>;
  filled: Awaited<ReturnType<Version["fillCompany"]>>;
  ledger: ReturnType<Version["emptyLedger"]>;
}

/** How often each call succeeds before `fn`, and again after it. */
const ROUNDS = 3;
/** Each call runs this many times at once, as in two processes. */
const COPIES = 2;
const PAUSE_MS = 2;
const WITHIN_MS = 60_000;

/** Connects a version to a database, and fills it. */
export async function startBeside({ load }: Release, url: string): Promise<Beside> {
  const version = await load();
  const sql = version.connect(url);
  return { version, sql, filled: await version.fillCompany(sql), ledger: version.emptyLedger() };
}

/** Repeats every call of a version before, during and after `fn`. Returns the calls that failed; each stops with its failure. */
export async function runBeside(
  { version, sql, filled, ledger }: Beside,
  fn: () => Promise<void>,
): Promise<Failure[]> {
  const failures = new Map<string, Failure>();
  const rounds = new Map<string, number>();
  let ending = false;

  async function repeat(call: string): Promise<void> {
    while (!ending && !failures.has(call)) {
      try {
        await version.CALLS[call]!(sql, filled, ledger);
        rounds.set(call, (rounds.get(call) ?? 0) + 1);
      } catch (error) {
        failures.set(call, { call, message: (error as Error).message });
      }
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }

  const calls = Object.keys(version.CALLS);
  const someRounds = async () => {
    rounds.clear();
    await eventually(() => {
      const waiting = calls.filter((call) => !failures.has(call) && (rounds.get(call) ?? 0) < ROUNDS);
      assert.deepEqual(waiting, []);
    }, WITHIN_MS);
  };
  const running = calls.flatMap((call) => Array.from({ length: COPIES }, () => repeat(call)));
  try {
    await someRounds();
    await fn();
    await someRounds();
  } finally {
    ending = true;
    await Promise.all(running);
  }
  return [...failures.values()];
}
