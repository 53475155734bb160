import { api, ask } from "../../data/client.ts";
import { companyId } from "../../data/company.ts";
import { given } from "../../data/given.ts";
import { type List, useList } from "../../data/list.ts";
import { useLive } from "../../data/live/live.ts";
import { listSenders, type ListSendersData, type Sender } from "../../data/sdk.ts";
import { useThrottle } from "../../data/live/throttle.ts";

const PAGE = 200;
const READ_MS = 2000;

/** The filters of senders, as they are in the address. */
export type SenderFilters = Partial<Record<"channel" | "status", string>>;

/** Reads the numbers of the company, which events change. */
export function useSenders(filters: SenderFilters): List<Sender> {
  const path = { company_id: companyId() };
  const list = useList<Sender>({
    key: `senders ${path.company_id} ${filters.channel} ${filters.status}`,
    idOf: ({ sender_id }) => sender_id,
    async read(after, signal) {
      const query = given<ListSendersData["query"]>({ ...filters, limit: PAGE, after });
      const page = await ask(listSenders({ client: api(), path, query, signal }));
      return { rows: page.senders, next: page.next };
    },
  });
  const readAgain = useThrottle(list.reload, READ_MS);
  useLive("sender", ({ sender_id, ...change }) => {
    list.patch(String(sender_id), change as Partial<Sender>);
    readAgain();
  });
  return list;
}
