import type { ChangePlace } from "../db/company_changes.ts";

const CURSOR = /^(\d{1,19})-(\d{1,14})$/;

/** Returns a place as the id of an event. */
export function cursorOf({ xid, at }: ChangePlace): string {
  return `${xid}-${at}`;
}

/** Returns the place that an id names; undefined when it is no id of ours. */
export function readCursor(text: string): ChangePlace | undefined {
  const [, xid, at] = CURSOR.exec(text) ?? [];
  return xid === undefined ? undefined : { xid: BigInt(xid), at: Number(at) };
}
