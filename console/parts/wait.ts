import type { Sender } from "../data/sdk.ts";
import { count, moment } from "../words/format.ts";
import { words } from "../words/words.ts";

/** Makes a sentence of why a sender waits, and of how many messages wait with it. */
export function describeWait({ since, until }: NonNullable<Sender["wait"]>, waiting: number): string {
  const next = moment(until ?? since, { style: "seconds" });
  return words().unreachable(moment(since, { style: "clock" }), words().waiting(count(waiting)), next);
}
