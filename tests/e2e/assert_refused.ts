import assert from "node:assert/strict";
import type { JsonObject, TestAnswer } from "../setup/http/http.ts";

/** The parts of an error of form (a) that a test looks at; `message` and `details` are left alone when absent. */
export interface ExpectedError {
  status: number;
  error: string;
  message?: string;
  details?: JsonObject;
}

/** Checks an error of form (a): `{error, message, details?, request_id, retry_after?}`. */
export function assertRefused(response: TestAnswer<JsonObject>, expected: ExpectedError, label = ""): void {
  const { error, message, details } = response.body ?? {};
  const actual: JsonObject = { status: response.status, error };
  if (expected.message !== undefined) actual.message = message;
  if (expected.details !== undefined) actual.details = details;
  assert.deepEqual(actual, expected, `${label} ${JSON.stringify(response.body)}`);
}

/** Checks an error of form (b): exactly `{success: false, message}`. */
export function assertRefusedShortly(
  response: TestAnswer<JsonObject>,
  status: number,
  message: string,
  label = "",
): void {
  assert.deepEqual([response.status, response.body], [status, { success: false, message }], label);
}
