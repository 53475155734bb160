import type { List } from "../../data/list.ts";
import { useLive } from "../../data/live/live.ts";
import { useRows } from "../../data/rows.ts";
import { type Agent, type Call, listAgents, listCalls } from "../../data/sdk.ts";
import { useThrottle } from "../../data/live/throttle.ts";

const PAGE = 200;

/** New calls are read with the first page, at most so often. */
const NEW_ROWS_MS = 2000;

/** The filters of calls, as they are in the address. */
export type CallFilters = Partial<
  Record<"campaign_id" | "number" | "outcome" | "ongoing", string | undefined>
>;

/** Reads calls, newest first; events change those in the list. */
export function useCalls({ campaign_id, number, outcome, ongoing }: CallFilters): List<Call> {
  const list = useRows(listCalls, "calls", ({ notification_id }) => notification_id, {
    query: { campaign_id, number, outcome, ongoing },
    limit: PAGE,
  });
  const readNew = useThrottle(list.reload, NEW_ROWS_MS);
  useLive("call", (event) => {
    const { notification_id, outcome, duration_s, ended_at, status } = event as unknown as Call;
    const change = { outcome, duration_s, ended_at, status, ...(ended_at !== null && { ongoing: false }) };
    if (!list.patch(notification_id, change) || ongoing) readNew();
  });
  return list;
}

/** Reads the voice agents, newest first. */
export function useAgents(status: string | undefined): List<Agent> {
  return useRows(listAgents, "agents", ({ agent_id }) => agent_id, { query: { status }, limit: PAGE });
}
