import assert from "node:assert/strict";
import { eventually } from "../setup/eventually.ts";
import { type DispatcherOptions, type DispatcherProcess, startDispatcher } from "./dispatcher_process.ts";

/** Some dispatchers that work off one queue together, each in a process of its own. */
export interface Crew {
  /** Resolves when all of them dispatch. */
  ready(): Promise<void>;
  /** Kills one of those that dispatch, chosen by chance, with SIGKILL, and starts another in its place at once. */
  killOne(): Promise<void>;
  /** Stops the nth of them as it is, with SIGSTOP, and lets it go on `ms` milliseconds later. */
  suspend(index: number, ms: number): Promise<void>;
  /** Asks all of them to stop, and fails unless each ends with code 0. */
  stop(): Promise<void>;
  /** Makes sure that none is left. */
  kill(): Promise<void>;
}

const START_MS = 30_000;

/** Starts dispatchers, one for each of `members`. */
export function startCrew(members: DispatcherOptions[]): Crew {
  const told = new WeakSet<DispatcherProcess>();
  const unexpected: Deno.CommandStatus[] = [];
  const crew = members.map((options) => start(options));

  function start(options: DispatcherOptions): DispatcherProcess {
    const member = startDispatcher(options);
    void member.status.then((status) => told.has(member) || unexpected.push(status));
    return member;
  }

  function tell(member: DispatcherProcess, signal: Deno.Signal): void {
    told.add(member);
    member.signal(signal);
  }

  const noneFell = () => assert.deepEqual(unexpected, [], "a dispatcher ended by itself");

  return {
    async ready() {
      await eventually(() => assert.ok(crew.every((member) => member.isReady()), "not ready"), START_MS);
      noneFell();
    },
    async killOne() {
      await eventually(() => assert.ok(crew.some((member) => member.isReady()), "none is ready"), START_MS);
      const alive = crew.flatMap((member, index) => member.isReady() ? index : []);
      const index = alive[Math.floor(Math.random() * alive.length)]!;
      tell(crew[index]!, "SIGKILL");
      crew[index] = start(members[index]!);
    },
    async suspend(index, ms) {
      const member = crew[index]!;
      member.signal("SIGSTOP");
      await new Promise((resolve) => setTimeout(resolve, ms));
      member.signal("SIGCONT");
    },
    async stop() {
      noneFell();
      crew.forEach((member) => tell(member, "SIGTERM"));
      const ended = await Promise.all(crew.map((member) => member.status));
      assert.deepEqual(ended.map(({ code }) => code), crew.map(() => 0));
    },
    async kill() {
      crew.forEach((member) => tell(member, "SIGKILL"));
      await Promise.all(crew.map((member) => member.status));
    },
  };
}
