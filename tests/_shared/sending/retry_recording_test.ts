import assert from "node:assert/strict";
import { retryRecording } from "../../../supabase/functions/_shared/sending/retry_recording.ts";

/** Records with a statement that fails with the given errors, one after the other, and then succeeds. */
async function recordAfter(errors: unknown[]): Promise<{ attempts: number; waited: unknown[] }> {
  const left = [...errors];
  const waited: unknown[] = [];
  let attempts = 0;
  await retryRecording(() => {
    attempts++;
    return left.length > 0 ? Promise.reject(left.shift()) : Promise.resolve();
  }, (error) => waited.push(error));
  return { attempts, waited };
}

function sqlError(code: string): Error {
  return Object.assign(new Error(code), { name: "PostgresError", code });
}

const PASSING = [
  "08006 25006 28000 28P01 40P01 53100 53200 53300 53400 55P03 57014 57P01 57P03 57P05 58030 XX000 26000 0A000",
  "42501 42883",
].join(" ").split(" ");

Deno.test("retryRecording() records again after any error that may pass", async () => {
  const driver = ["CONNECTION_CLOSED", "CONNECT_TIMEOUT", "ECONNREFUSED", "EPIPE", "SASL_SIGNATURE_MISMATCH"]
    .map((code) => Object.assign(new Error(code), { code }));
  const errors = [...PASSING.map(sqlError), ...driver, new TypeError("items.map is not a function")];
  await Promise.all(errors.map(async (error) => {
    assert.deepEqual(await recordAfter([error]), { attempts: 2, waited: [error] }, String(error));
  }));
});

Deno.test("retryRecording() throws what the data itself causes, at once", async () => {
  for (const code of ["22001", "22P05", "23503", "23514"]) {
    await assert.rejects(recordAfter([sqlError(code)]), { code });
  }
});
