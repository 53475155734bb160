import { api, ask } from "../client.ts";
import { companyId, isTest } from "../company.ts";
import { useLive } from "./live.ts";
import { useQuery } from "../query.ts";
import { listConversations, listHandoffs } from "../sdk.ts";

/** Beyond that the number says no more than "many". */
const MAX_COUNTED = 100;

/** Shows how many wait: `99+` beyond that. */
export function shownWaiting(waiting: number): string {
  return waiting < MAX_COUNTED ? String(waiting) : `${MAX_COUNTED - 1}+`;
}

/** The ids of those who wait for the company. */
interface Waiting {
  conversations: string[];
  handoffs: string[];
}

/** A test company has no conversations. */
const NONE: Waiting = { conversations: [], handoffs: [] };

/** Returns how many wait for a reply or for a person. */
export function useWaiting(): number {
  const company_id = companyId();
  const { data, patch } = useQuery(
    `waiting ${company_id}`,
    async (signal) => isTest() ? NONE : await readWaiting(company_id, signal),
  );
  useLive("conversation", ({ conversation_id, state }) =>
    patch((known) => ({
      ...known,
      conversations: withOrWithout(known.conversations, String(conversation_id), state === "unanswered"),
    })));
  useLive("handoff", ({ handoff_id, status }) =>
    patch((known) => ({
      ...known,
      handoffs: withOrWithout(known.handoffs, String(handoff_id), status === "waiting"),
    })));
  return data ? data.conversations.length + data.handoffs.length : 0;
}

async function readWaiting(company_id: string, signal: AbortSignal): Promise<Waiting> {
  const request = { client: api(), path: { company_id }, signal };
  const [{ conversations }, { handoffs }] = await Promise.all([
    ask(listConversations({ ...request, query: { state: "unanswered", limit: MAX_COUNTED } })),
    ask(listHandoffs({ ...request, query: { open: "true", limit: MAX_COUNTED } })),
  ]);
  return {
    conversations: conversations.map(({ conversation_id }) => conversation_id),
    handoffs: handoffs.filter(({ status }) => status === "waiting").map(({ handoff_id }) => handoff_id),
  };
}

function withOrWithout(ids: string[], id: string, isIn: boolean): string[] {
  const others = ids.filter((each) => each !== id);
  return isIn ? [...others, id] : others;
}
