import type { SendFacts } from "../control/fault_box.ts";
import type { VoiceFault } from "./fault.ts";
import type { VoicePlatform } from "./voice_platform.ts";

/** Rolls the dice of the faults for one request and tells the page of those that hit. */
export function meetFaults(voice: VoicePlatform, facts: SendFacts): VoiceFault {
  const fault = voice.faults.meet(facts);
  if (Object.keys(fault).length > 0) {
    voice.events.publish({ kind: "voice_faults", faults: structuredClone(voice.faults.list()) });
  }
  return fault;
}
