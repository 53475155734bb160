import { api, ask } from "../../data/client.ts";
import { companyId } from "../../data/company.ts";
import { given } from "../../data/given.ts";
import { type List, useList } from "../../data/list.ts";
import { listWidgets, type ListWidgetsData, type Widget } from "../../data/sdk.ts";

const PAGE = 100;

/** Reads widgets, newest first. */
export function useWidgets(kind: string | undefined): List<Widget> {
  const path = { company_id: companyId() };
  return useList<Widget>({
    key: `widgets ${path.company_id} ${kind}`,
    idOf: ({ widget_id }) => widget_id,
    async read(after, signal) {
      const query = given<ListWidgetsData["query"]>({ kind, after, limit: PAGE });
      const page = await ask(listWidgets({ client: api(), path, query, signal }));
      return { rows: page.widgets, next: page.next };
    },
  });
}
