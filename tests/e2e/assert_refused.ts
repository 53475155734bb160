import assert from "node:assert/strict";
import type { JsonObject, TestAnswer } from "../setup/http.ts";

/** The parts of an error of form (a) that a test looks at; `message` and `details` are left alone when absent. */
export interface ExpectedError {
  status: number;
  error: string;
  message?: string;
  details?: JsonObject;
}

/** Checks an error of form (a): `{error, message, details?, request_id, retry_after?}`. */
export function assertRefused(answer: TestAnswer<JsonObject>, expected: ExpectedError, label = ""): void {
  const { error, message, details } = answer.body ?? {};
  const actual: JsonObject = { status: answer.status, error };
  if (expected.message !== undefined) actual.message = message;
  if (expected.details !== undefined) actual.details = details;
  assert.deepEqual(actual, expected, `${label} ${JSON.stringify(answer.body)}`);
}

/** Checks an error of form (b): exactly `{success: false, message}`. */
export function assertRefusedShortly(
  answer: TestAnswer<JsonObject>,
  status: number,
  message: string,
  label = "",
): void {
  assert.deepEqual([answer.status, answer.body], [status, { success: false, message }], label);
}
