import type { List } from "../../data/list.ts";
import { usePatches, useRows } from "../../data/rows.ts";
import { listSenders, type Sender } from "../../data/sdk.ts";

const PAGE = 200;
const READ_MS = 2000;

/** The filters of senders, as they are in the address. */
export type SenderFilters = Partial<Record<"channel" | "status", string>>;

/** Reads the numbers of the company, which events change. */
export function useSenders({ channel, status }: SenderFilters): List<Sender> {
  const list = useRows(listSenders, "senders", ({ sender_id }) => sender_id, {
    query: { channel, status },
    limit: PAGE,
  });
  return usePatches(list, "sender", "sender_id", READ_MS);
}
