import type { Sender } from "../data/sdk.ts";
import { moment } from "../i18n/format.ts";
import { words } from "../i18n/words.ts";

/** Makes a sentence of why a sender or a campaign waits, and of how many messages wait with it. */
export function describeWait({ reason, since, until }: NonNullable<Sender["wait"]>, waiting: number): string {
  const names = words().common;
  const who = names.waiting(waiting);
  if (reason !== "platform_unreachable") {
    return names.putOff[reason](who, moment(until ?? since, { style: "zoned" }));
  }
  const next = moment(until ?? since, { style: "seconds" });
  return names.unreachable(moment(since, { style: "clock" }), who, next);
}
