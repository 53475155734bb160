import assert from "node:assert/strict";
import { problemOf, VoiceProblem } from "../../../widget/voice/problem.ts";

Deno.test("problemOf() tells a refused microphone from a missing one and from everything else", () => {
  const named = (name: string) => new DOMException("no", name);

  assert.equal(problemOf(named("NotAllowedError"), "session_refused"), "microphone_refused");
  assert.equal(problemOf(named("NotFoundError"), "session_refused"), "microphone_missing");
  assert.equal(problemOf(named("NotReadableError"), "session_refused"), "microphone_missing");
  assert.equal(problemOf(new Error("agent not found"), "session_refused"), "session_refused");
  assert.equal(problemOf(new VoiceProblem("connection_lost"), "session_refused"), "connection_lost");
  assert.equal(problemOf("nothing", "handoff_unavailable"), "handoff_unavailable");
});
