import assert from "node:assert/strict";
import { AppError } from "../../supabase/functions/_shared/errors.ts";
import { createLog, describeError, failureLevel } from "../../supabase/functions/_shared/log.ts";

function linesAt(level: Parameters<typeof createLog>[0]): Record<string, unknown>[] {
  const lines: string[] = [];
  const log = createLog(level, (line) => lines.push(line));
  log.debug("one");
  log.info("two", { status: 200 });
  log.warn("three");
  log.error("four", { text: 'a "quote"\nand a line' });
  return lines.map((line) => JSON.parse(line));
}

Deno.test("createLog() writes one JSON object a line, with time, level and fields", () => {
  const [, line] = linesAt("debug");

  assert.deepEqual({ ...line, time: "" }, { time: "", level: "info", message: "two", status: 200 });
  assert.ok(Math.abs(Date.parse(line!.time as string) - Date.now()) < 60_000);
});

Deno.test("createLog() leaves out what is below its level", () => {
  const levels = (["debug", "info", "warn", "error", "silent"] as const).map((level) =>
    linesAt(level).length
  );

  assert.deepEqual(levels, [4, 3, 2, 1, 0]);
});

Deno.test("describeError() returns an error's kind, code and text, and nothing of its stack or statement", () => {
  const error = Object.assign(new TypeError("broken"), {
    code: "23505",
    constraint_name: "campaigns_pkey",
    query: "select secret",
    parameters: ["secret"],
  });

  const text = JSON.stringify(describeError(error));

  assert.deepEqual(JSON.parse(text), {
    error: "TypeError",
    error_message: "broken",
    code: "23505",
    constraint: "campaigns_pkey",
  });
});

Deno.test("describeError() says of what is no error only what type it is", () => {
  assert.deepEqual(describeError("a secret"), { error: "string" });
});

Deno.test("failureLevel() makes an error only of what was not expected", () => {
  const levels = [
    new TypeError("x is not a function"),
    new AppError("service_unavailable", "away"),
    new AppError("not_found", "no such conversation"),
    Object.assign(new Error("write CONNECTION_CLOSED"), { code: "CONNECTION_CLOSED" }),
  ].map(failureLevel);

  assert.deepEqual(levels, ["error", "warn", "info", "warn"]);
});
