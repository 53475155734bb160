import { api, ask } from "../../data/client.ts";
import { companyId } from "../../data/company.ts";
import { given } from "../../data/given.ts";
import { type Sums, sumsByKey } from "../../data/history_sums.ts";
import type { List } from "../../data/list.ts";
import { useQuery } from "../../data/query.ts";
import { usePatches, useRows } from "../../data/rows.ts";
import {
  getHistory,
  type GetHistoryData,
  listManagedTemplates,
  syncTemplates,
  type TemplateSummary,
} from "../../data/sdk.ts";
import { attempt, toast } from "../../components/dialog/toast.tsx";
import { words } from "../../i18n/words.ts";

const PAGE = 200;
const READ_MS = 2000;

/** The filters of templates, as they are in the address. */
export type TemplateFilters = Partial<Record<"status" | "name", string>>;

/** Reads the company's templates, which reviews change. How many campaigns one holds is in no event. */
export function useTemplates({ status, name }: TemplateFilters): List<TemplateSummary> {
  const list = useRows(listManagedTemplates, "templates", ({ template_id }) => template_id, {
    query: { status, name },
    limit: PAGE,
  });
  return usePatches(list, "template", "template_id", READ_MS);
}

/** Reads how often each template was sent in the last 30 days, by its id. */
export function useTemplateUse(templateId?: string): Map<string | null, Sums> | undefined {
  const path = { company_id: companyId() };
  const { data } = useQuery(`template use ${path.company_id} ${templateId}`, async (signal) => {
    const query = given<GetHistoryData["query"]>({ by: "template", template_id: templateId });
    const { rows } = await ask(getHistory({ client: api(), path, query, signal }));
    return sumsByKey(rows);
  });
  return data;
}

/** Updates the templates from the platform, and says what came of it. */
export async function sync(onDone: () => void): Promise<void> {
  const path = { company_id: companyId() };
  const done = await attempt(() => ask(syncTemplates({ client: api(), path })));
  if (done === undefined) return;
  const { synced, notSynced } = words().templates;
  for (const { waba_id, error } of done.accounts) {
    if (error !== null) toast(notSynced(waba_id, error), { isBad: true });
  }
  const sum = (name: "templates" | "changed") =>
    done.accounts.reduce((total, account) => total + account[name], 0);
  toast(synced(sum("templates"), sum("changed")));
  onDone();
}
