import assert from "node:assert/strict";
import { eventually } from "../../setup/eventually.ts";
import { type DispatcherOptions, type DispatcherProcess, startDispatcher } from "./dispatcher_process.ts";

/** Dispatchers that work on one queue, each in a process of its own. */
export interface DispatcherPool {
  /** Resolves when every dispatcher is ready. */
  ready(): Promise<void>;
  /** Kills a random dispatcher with SIGKILL and starts another in its place. */
  killOne(): Promise<void>;
  /** Suspends the nth dispatcher with SIGSTOP and resumes it `ms` milliseconds later. */
  suspend(index: number, ms: number): Promise<void>;
  /** Asks every dispatcher to stop, and fails unless each exits with code 0. */
  stop(): Promise<void>;
  /** Kills every dispatcher that is left. */
  kill(): Promise<void>;
}

/** Several start at once, perhaps on a machine that others use. */
const START_MS = 120_000;

/** Starts one dispatcher per entry of `members`. */
export function startDispatcherPool(members: DispatcherOptions[]): DispatcherPool {
  const signalled = new WeakSet<DispatcherProcess>();
  const unexpected: Deno.CommandStatus[] = [];
  const pool = members.map((options) => start(options));

  function start(options: DispatcherOptions): DispatcherProcess {
    const member = startDispatcher(options);
    void member.status.then((status) => signalled.has(member) || unexpected.push(status));
    return member;
  }

  function signal(member: DispatcherProcess, name: Deno.Signal): void {
    signalled.add(member);
    member.signal(name);
  }

  const assertNoneExited = () => assert.deepEqual(unexpected, [], "a dispatcher exited by itself");

  return {
    async ready() {
      await eventually(() => assert.ok(pool.every((member) => member.isReady()), "not ready"), START_MS);
      assertNoneExited();
    },
    async killOne() {
      await eventually(() => assert.ok(pool.some((member) => member.isReady()), "none is ready"), START_MS);
      const alive = pool.flatMap((member, index) => member.isReady() ? index : []);
      const index = alive[Math.floor(Math.random() * alive.length)]!;
      signal(pool[index]!, "SIGKILL");
      pool[index] = start(members[index]!);
    },
    async suspend(index, ms) {
      const member = pool[index]!;
      member.signal("SIGSTOP");
      await new Promise((resolve) => setTimeout(resolve, ms));
      member.signal("SIGCONT");
    },
    async stop() {
      assertNoneExited();
      pool.forEach((member) => signal(member, "SIGTERM"));
      const ended = await Promise.all(pool.map((member) => member.status));
      assert.deepEqual(ended.map(({ code }) => code), pool.map(() => 0));
    },
    async kill() {
      pool.forEach((member) => signal(member, "SIGKILL"));
      await Promise.all(pool.map((member) => member.status));
    },
  };
}
