import type { ChangeCursor } from "../db/access/company_changes.ts";

const CURSOR = /^([0-9a-f]{16})-(\d{1,18})$/;

/** Returns a cursor as the id of an event. */
export function formatCursor({ timeline, xid }: ChangeCursor): string {
  return `${timeline}-${xid}`;
}

/** Returns the cursor that an id names; undefined when it is no id of ours. */
export function readCursor(text: string): ChangeCursor | undefined {
  const [, timeline, xid] = CURSOR.exec(text) ?? [];
  return timeline === undefined ? undefined : { timeline, xid: BigInt(xid!) };
}
