import { api, ask } from "../../data/client.ts";
import { companyId } from "../../data/company.ts";
import { given } from "../../data/given.ts";
import { type List, useList } from "../../data/list.ts";
import { useLive } from "../../data/live/live.ts";
import {
  type Agent,
  type Call,
  listAgents,
  type ListAgentsData,
  listCalls,
  type ListCallsData,
} from "../../data/sdk.ts";
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
  const company_id = companyId();
  const list = useList<Call>({
    key: `calls ${company_id} ${campaign_id} ${number} ${outcome} ${ongoing}`,
    idOf: ({ notification_id }) => notification_id,
    async read(after, signal) {
      const query = given<ListCallsData["query"]>({
        ...{ campaign_id, number, outcome, ongoing, after },
        limit: PAGE,
      });
      const page = await ask(listCalls({ client: api(), path: { company_id }, query, signal }));
      return { rows: page.calls, next: page.next };
    },
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
  const company_id = companyId();
  return useList<Agent>({
    key: `agents ${company_id} ${status}`,
    idOf: ({ agent_id }) => agent_id,
    async read(after, signal) {
      const query = given<ListAgentsData["query"]>({ status, after, limit: PAGE });
      const page = await ask(listAgents({ client: api(), path: { company_id }, query, signal }));
      return { rows: page.agents, next: page.next };
    },
  });
}
