import { problemOf, VoiceProblem } from "./problem.ts";

/**
 * Asks for the microphone before anything is started that costs something. Answers what lets it go again: a browser
 * that asks every time is not made to ask twice while it is held.
 *
 * @throws {VoiceProblem} `microphone_refused` or `microphone_missing`
 */
export async function holdMicrophone(): Promise<() => void> {
  // Pages that were not loaded securely have no devices at all.
  if (!navigator.mediaDevices?.getUserMedia) throw new VoiceProblem("microphone_missing");
  try {
    const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
    return () => stream.getTracks().forEach((track) => track.stop());
  } catch (error) {
    throw new VoiceProblem(problemOf(error, "microphone_missing"), error);
  }
}
