import assert from "node:assert/strict";
import { resumeInterruptedSound } from "../../../widget/voice/interrupted_sound.ts";

class FakeContext extends EventTarget {
  state = "running";
  resumes = 0;

  resume(): Promise<void> {
    this.resumes++;
    return this.resumes === 1 ? Promise.reject(new Error("not yet")) : Promise.resolve();
  }

  become(state: string): void {
    this.state = state;
    this.dispatchEvent(new Event("statechange"));
  }
}

/** A page that plays sound, after `resumeInterruptedSound()`. */
function makePage() {
  const document = Object.assign(new EventTarget(), { hidden: false });
  const page = Object.assign(new EventTarget(), { AudioContext: FakeContext, document });
  resumeInterruptedSound(page);
  return { page, document, context: new page.AudioContext() };
}

Deno.test("resumeInterruptedSound() resumes what the system has interrupted, on a touch and when the page is back", () => {
  const { page, document, context } = makePage();
  context.become("interrupted");

  page.dispatchEvent(new Event("pointerdown"));
  document.dispatchEvent(new Event("visibilitychange"));

  assert.equal(context.resumes, 2);
});

Deno.test("resumeInterruptedSound() goes on when Safari suspends the sound after the interruption, until it plays", () => {
  const { page, context } = makePage();
  context.become("interrupted");
  context.become("suspended");

  page.dispatchEvent(new Event("pointerdown"));
  context.become("running");
  page.dispatchEvent(new Event("pointerdown"));

  assert.equal(context.resumes, 1);
});

Deno.test("resumeInterruptedSound() leaves alone what was suspended on purpose, closed, or is on a hidden page", () => {
  const { page, document, context } = makePage();
  context.become("suspended");
  page.dispatchEvent(new Event("pointerdown"));
  context.become("interrupted");
  document.hidden = true;
  document.dispatchEvent(new Event("visibilitychange"));
  context.become("closed");

  page.dispatchEvent(new Event("pointerdown"));

  assert.equal(context.resumes, 0);
});
