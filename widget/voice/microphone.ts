import { problemOf, VoiceProblem } from "./problem.ts";

/**
 * Requests the microphone and keeps it in use, so that the browser does not prompt again when the session opens it.
 * Returns the function that releases it.
 *
 * @throws {VoiceProblem} `microphone_refused` or `microphone_missing`
 */
export async function requestMicrophone(): Promise<() => void> {
  // Browsers offer no devices to pages that were loaded without https.
  if (!navigator.mediaDevices?.getUserMedia) throw new VoiceProblem("microphone_missing");
  try {
    const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
    return () => stream.getTracks().forEach((track) => track.stop());
  } catch (error) {
    throw new VoiceProblem(problemOf(error, "microphone_missing"), error);
  }
}
