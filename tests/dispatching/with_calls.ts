import { runDispatcher } from "../../supabase/functions/_shared/dispatching/dispatcher.ts";
import type { Services } from "../../supabase/functions/_shared/services.ts";
import {
  type CallingCompany,
  type CallsOverrides,
  enqueueCalls,
  insertCallingCompany,
} from "../setup/fixtures/calling_company.ts";
import { assertConserved, letTimePass, type Queued } from "../setup/fixtures/queue.ts";
import { type TestStack, withStack } from "../setup/stack/stack.ts";

/** A company with calls to make, and a platform that makes them. */
export interface Calling extends TestStack {
  calling: CallingCompany;
  enqueueCalls(overrides?: CallsOverrides): Promise<Queued>;
  /** Runs one dispatcher while `fn` does, and stops it afterwards. */
  running(fn: () => Promise<void>, services?: Services): Promise<void>;
  later(seconds: number): Promise<void>;
}

export interface CallingOptions {
  env?: Record<string, string>;
  /** Calls at a time, as we have it. @default 20 */
  concurrency?: number;
  services?: Partial<Services>;
}

/** Calls `fn` with a service, its platform and a company that may call, then checks the counters of every campaign. */
export async function withCalls(
  fn: (t: Calling) => Promise<void>,
  { env = {}, concurrency = 20, services = {} }: CallingOptions = {},
): Promise<void> {
  await withStack(async (stack) => {
    const { sql, sandbox } = stack;
    const calling = await insertCallingCompany(sql, { concurrency });
    const { platform_agent_id: agentId, name } = calling.agent;
    await sandbox.addVoiceAccount(calling.sender, {
      agents: [{ agentId, name, firstMessage: "Hello {{name}}" }],
      concurrency,
    });
    await fn({
      ...stack,
      calling,
      enqueueCalls: (overrides) => enqueueCalls(sql, calling, overrides),
      running: (during, own = stack.dispatcherServices) => whileRunning(own, during),
      later: (seconds) => letTimePass(sql, seconds),
    });
    await assertConserved(sql);
  }, { env, services });
}

async function whileRunning(services: Services, during: () => Promise<void>): Promise<void> {
  const controller = new AbortController();
  const dispatcher = runDispatcher(services, { signal: controller.signal });
  try {
    await during();
  } finally {
    controller.abort();
    await dispatcher;
  }
}
