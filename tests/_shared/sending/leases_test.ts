import assert from "node:assert/strict";
import { startElapsed } from "../../../supabase/functions/_shared/sending/leases.ts";

Deno.test("startElapsed() takes the later of wall clock and monotonic clock", async () => {
  let offMs = 0;
  const elapsedMs = startElapsed({ now: () => new Date(Date.now() + offMs) });

  offMs = 240_000;
  const suspended = elapsedMs();
  offMs = -3_600_000;
  await new Promise((resolve) => setTimeout(resolve, 5));
  const setBack = elapsedMs();

  assert.ok(suspended >= 240_000);
  assert.ok(setBack > 0 && setBack < 60_000);
});
