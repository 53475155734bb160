import assert from "node:assert/strict";
import fc from "fast-check";
import { INITIAL_STATE, next, type Step, type VoiceEvent } from "../../../widget/voice/voice_state.ts";

const IDS = { conversationId: "conv_1", sessionToken: "token" };
const HANDOFF = { handoff_id: "1", url: "wss://media.example.com", token: "room" };

const START: VoiceEvent = { type: "start" };
const STARTED: VoiceEvent = { type: "session_started", epoch: 1, ids: IDS };
const OPENED: VoiceEvent = { type: "handoff_opened", handoff: HANDOFF, session: IDS };

/** The last step of these events, one after the other. */
function after(...events: VoiceEvent[]): Step {
  return events.reduce<Step>(({ state }, event) => next(state, event), { state: INITIAL_STATE, effects: [] });
}

/** The stage and the effects' types after these events. */
function outcome(...events: VoiceEvent[]) {
  const { state, effects } = after(...events);
  return [state.stage, effects.map(({ type }) => type)];
}

function ended(how: "ended" | "lost", epoch = 1): VoiceEvent {
  return { type: "session_ended", epoch, how };
}

const TALKING = { name: "talking", written: false, speaking: false, muted: false };

Deno.test("next() leads from start to a rated session", () => {
  assert.deepEqual(outcome(START), [{ name: "connecting" }, ["start_session"]]);
  assert.deepEqual(outcome(START, STARTED), [TALKING, []]);
  assert.deepEqual(outcome(START, STARTED, { type: "speaking_changed", epoch: 1, speaking: true })[0], {
    ...TALKING,
    speaking: true,
  });
  assert.deepEqual(outcome(START, STARTED, { type: "end" }), [TALKING, ["end_session"]]);
  const over = [START, STARTED, { type: "end" } as const, ended("ended")];
  assert.deepEqual(outcome(...over), [
    { name: "ended", timeOver: false },
    ["close_session", "request_feedback"],
  ]);
  assert.deepEqual(outcome(...over, { type: "feedback_done", sent: true })[0], {
    ...{ name: "ended", timeOver: false },
    thanked: true,
  });
});

Deno.test("next() keeps the choice to write until the visitor starts to talk", () => {
  const written = after({ type: "write_instead" }, STARTED);
  assert.deepEqual(written.effects, [{ type: "focus_composer" }]);

  const again = after({ type: "write_instead" }, STARTED, ended("lost"), { type: "retry" });
  const talk = after({ type: "write_instead" }, STARTED, ended("lost"), { type: "handoff_back" });

  assert.deepEqual(again.effects, [{ type: "start_session", epoch: 2, written: true }]);
  assert.deepEqual(talk.effects, [{ type: "start_session", epoch: 2, written: false }]);
});

Deno.test("next() cancels a session that is starting when the visitor hangs up", () => {
  assert.deepEqual(outcome(START, { type: "end" }), [{ name: "idle" }, ["close_session"]]);
  assert.deepEqual(outcome(START, { type: "end" }, STARTED), [{ name: "idle" }, ["end_session"]]);
});

Deno.test("next() stops with the problem of a session that fails, is lost or ends while it starts", () => {
  const lost = { name: "stopped", problem: "connection_lost", hasSession: true };
  const failed: VoiceEvent = { type: "session_failed", epoch: 1, problem: "microphone_refused" };
  assert.deepEqual(outcome(START, failed)[0], {
    ...{ name: "stopped", problem: "microphone_refused" },
    hasSession: false,
  });
  assert.deepEqual(outcome(START, STARTED, ended("lost")), [lost, ["close_session"]]);
  assert.deepEqual(outcome(START, ended("ended"), STARTED), [lost, ["close_session"]]);
  assert.deepEqual(outcome(START, STARTED, { type: "offline" }), [lost, ["end_session", "close_session"]]);
  assert.deepEqual(outcome({ type: "offline" }), [{ name: "idle" }, []]);
});

Deno.test("next() says that the time is over once the session has ended", () => {
  const over: VoiceEvent[] = [START, STARTED, { type: "time_over", epoch: 1 }];

  assert.deepEqual(outcome(...over)[1], ["end_session"]);
  assert.deepEqual(outcome(...over, ended("ended"))[0], { name: "ended", timeOver: true });
});

Deno.test("next() ignores the events of an earlier session", () => {
  const second: VoiceEvent[] = [START, STARTED, ended("ended"), { type: "again" }];
  const { state } = after(...second);

  for (const event of [STARTED, ended("lost"), { type: "time_over", epoch: 1 } as const]) {
    assert.deepEqual(next(state, event), { state, effects: [] });
  }
});

Deno.test("next() requests one handoff at a time, for a session that there was", () => {
  assert.deepEqual(outcome({ type: "handoff" })[1], []);
  const requested = after(START, STARTED, { type: "handoff", reason: "refund" });
  assert.deepEqual(requested.effects, [{ type: "request_handoff", session: IDS, reason: "refund" }]);
  assert.deepEqual(next(requested.state, { type: "handoff" }).effects, []);
});

Deno.test("next() leads through a handoff, and a muted microphone stays muted", () => {
  const open: VoiceEvent[] = [START, STARTED, { type: "mute" }, { type: "handoff" }, OPENED];
  const waiting = { name: "handoff", joined: false, muted: true };
  assert.deepEqual(outcome(...open), [waiting, ["enter_room", "end_session"]]);
  assert.deepEqual(outcome(...open, ended("ended")), [waiting, ["close_session"]]);
  const joined: VoiceEvent[] = [...open, { type: "person_joined" }, {
    type: "person_interrupted",
    interrupted: true,
  }];
  assert.deepEqual(outcome(...joined)[0], { ...waiting, joined: true, interrupted: true });
  assert.deepEqual(outcome(...joined, { type: "handoff_end" })[1], ["leave_room"]);

  const left = outcome(...joined, { type: "person_left", problem: undefined });
  const lost = outcome(...joined, { type: "person_left", problem: "connection_lost" });

  assert.deepEqual(left, [{ name: "handoff_ended" }, []]);
  assert.deepEqual(lost[0], { name: "stopped", problem: "connection_lost", hasSession: true });
});

Deno.test("next() declines a handoff that opens after the visitor hung up, and allows another one", () => {
  const hungUp: VoiceEvent[] = [START, STARTED, { type: "handoff" }, { type: "end" }, ended("ended")];
  assert.deepEqual(after(...hungUp, { type: "handoff" }).effects, []);

  const declined = after(...hungUp, OPENED);

  assert.deepEqual(declined.effects, [{ type: "decline_handoff", handoff: HANDOFF, session: IDS }]);
  assert.equal(declined.state.stage.name, "ended");
  assert.equal(next(declined.state, { type: "handoff" }).effects[0]!.type, "request_handoff");
});

Deno.test("next() goes on with a session whose handoff fails", () => {
  const failed: VoiceEvent = { type: "handoff_failed", problem: "handoff_unavailable" };
  const talking: VoiceEvent[] = [START, STARTED, { type: "handoff" }];

  assert.deepEqual(outcome(...talking, failed)[0], { ...TALKING, problem: "handoff_unavailable" });
  assert.deepEqual(outcome(...talking, ended("lost"), failed)[0], {
    ...{ name: "stopped", problem: "handoff_unavailable" },
    hasSession: true,
  });
});

Deno.test("next() never changes a state, and never starts a session but by a visitor's action", () => {
  const actions = ["start", "again", "retry", "write_instead", "handoff_back"];
  const events: VoiceEvent[] = [
    ...["start", "again", "write_instead", "handoff", "mute", "end", "offline", "person_joined"].map((
      type,
    ) => ({
      type,
    } as VoiceEvent)),
    ...[STARTED, OPENED, ended("ended"), ended("lost"), ended("lost", 2)],
    ...[
      { type: "handoff_failed", problem: "handoff_unavailable" },
      { type: "person_left", problem: undefined },
      { type: "session_failed", epoch: 1, problem: "session_refused" },
    ] as VoiceEvent[],
  ];
  fc.assert(fc.property(fc.array(fc.constantFrom(...events), { maxLength: 20 }), (run) => {
    let state = INITIAL_STATE;
    for (const event of run) {
      const before = structuredClone(state);
      const step = next(state, event);
      assert.deepEqual(state, before);
      const starts = step.effects.some(({ type }) => type === "start_session");
      assert.equal(starts, actions.includes(event.type));
      ({ state } = step);
    }
  }));
});

Deno.test("next() shows a lost microphone until there is another one, and that one until it was noted", () => {
  const lost: VoiceEvent = { type: "microphone_lost", problem: "microphone_lost" };
  const microphone = (...events: VoiceEvent[]) => {
    const { stage } = after(START, STARTED, ...events).state;
    return "microphone" in stage ? stage.microphone : undefined;
  };

  assert.equal(microphone(lost, { type: "microphone_noted" }), "microphone_lost");
  assert.equal(microphone(lost, { type: "speaking_changed", epoch: 1, speaking: true }), "microphone_lost");
  assert.equal(microphone(lost, { type: "microphone_changed" }), "microphone_changed");
  assert.equal(microphone({ type: "microphone_changed" }, { type: "microphone_noted" }), undefined);
  assert.equal(microphone({ type: "microphone_changed" }, { type: "mute" }), undefined);
  assert.equal(microphone({ type: "microphone_changed" }, lost), "microphone_lost");
  assert.deepEqual(outcome(START, lost), [{ name: "connecting" }, []]);
});
