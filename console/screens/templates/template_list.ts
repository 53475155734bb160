import { api, ask } from "../../data/client.ts";
import { companyId } from "../../data/company.ts";
import { given } from "../../data/given.ts";
import { type List, useList } from "../../data/list.ts";
import { useQuery } from "../../data/query.ts";
import { useLive } from "../../data/live/live.ts";
import {
  getHistory,
  type GetHistoryData,
  listManagedTemplates,
  type ListManagedTemplatesData,
  syncTemplates,
  type TemplateSummary,
} from "../../data/sdk.ts";
import { useThrottle } from "../../data/live/throttle.ts";
import { attempt, toast } from "../../components/dialog/toast.tsx";
import { words } from "../../i18n/words.ts";

const PAGE = 200;
const READ_MS = 2000;

/** The filters of templates, as they are in the address. */
export type TemplateFilters = Partial<Record<"status" | "name", string>>;

/** Reads the company's templates, which reviews change. */
export function useTemplates(filters: TemplateFilters): List<TemplateSummary> {
  const path = { company_id: companyId() };
  const list = useList<TemplateSummary>({
    key: `templates ${path.company_id} ${filters.status} ${filters.name}`,
    idOf: ({ template_id }) => template_id,
    async read(after, signal) {
      const query = given<ListManagedTemplatesData["query"]>({ ...filters, limit: PAGE, after });
      const page = await ask(listManagedTemplates({ client: api(), path, query, signal }));
      return { rows: page.templates, next: page.next };
    },
  });
  const readAgain = useThrottle(list.reload, READ_MS);
  useLive("template", ({ template_id, ...change }) => {
    list.patch(String(template_id), change as Partial<TemplateSummary>);
    // How many campaigns it holds is not in the event.
    readAgain();
  });
  return list;
}

/** How often a template was sent in the last 30 days, and what became of that. */
export type TemplateUse = Record<"sent" | "delivered" | "read" | "replied", number>;

/** Reads how often each template was sent in the last 30 days, by its id. */
export function useTemplateUse(templateId?: string): Map<string, TemplateUse> | undefined {
  const path = { company_id: companyId() };
  const { data } = useQuery(`template use ${path.company_id} ${templateId}`, async (signal) => {
    const query = given<GetHistoryData["query"]>({ by: "template", template_id: templateId });
    const { rows } = await ask(getHistory({ client: api(), path, query, signal }));
    const uses = new Map<string, TemplateUse>();
    for (const { key, sent, delivered, read, replied } of rows) {
      if (key === null) continue;
      const known = uses.get(key) ?? { sent: 0, delivered: 0, read: 0, replied: 0 };
      uses.set(key, {
        sent: known.sent + sent,
        delivered: known.delivered + delivered,
        read: known.read + read,
        replied: known.replied + replied,
      });
    }
    return uses;
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
