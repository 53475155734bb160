import type { ChangePlace } from "../db/access/company_changes.ts";

const CURSOR = /^([0-9a-f]{16})-(\d{1,18})$/;

/** Returns a place as the id of an event. */
export function cursorOf({ timeline, xid }: ChangePlace): string {
  return `${timeline}-${xid}`;
}

/** Returns the place that an id names; undefined when it is no id of ours. */
export function readCursor(text: string): ChangePlace | undefined {
  const [, timeline, xid] = CURSOR.exec(text) ?? [];
  return timeline === undefined ? undefined : { timeline, xid: BigInt(xid!) };
}
