import assert from "node:assert/strict";
import { runDispatcher } from "../../../supabase/functions/_shared/dispatching/dispatcher.ts";
import type { Services } from "../../../supabase/functions/_shared/services.ts";

const MAX_RUN_MS = 60_000;

/** Sends all that can be sent now. Fails if there is still something to send after a minute. */
export async function dispatchAll(services: Services): Promise<void> {
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(), MAX_RUN_MS);
  try {
    const { ended } = await runDispatcher(services, { signal: stop.signal, untilIdle: true });
    assert.equal(ended, "idle");
  } finally {
    clearTimeout(timer);
  }
}
