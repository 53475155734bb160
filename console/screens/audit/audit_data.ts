import { api, ask } from "../../data/client.ts";
import { companyId } from "../../data/company.ts";
import { given } from "../../data/given.ts";
import { type List, useList } from "../../data/list.ts";
import { type AuditEntry, listAudit, type ListAuditData } from "../../data/sdk.ts";

const PAGE = 100;

/** The filters of the audit, as they are in the address. */
export type AuditFilters = Partial<Record<"action" | "actor" | "subject", string | undefined>>;

/** Reads the audit, newest first. */
export function useAudit(filters: AuditFilters): List<AuditEntry> {
  const path = { company_id: companyId() };
  const { action, actor, subject } = filters;
  return useList<AuditEntry>({
    key: `audit ${path.company_id} ${action} ${actor} ${subject}`,
    idOf: ({ id }) => id,
    async read(after, signal) {
      const query = given<ListAuditData["query"]>({ action, actor, subject, after, limit: PAGE });
      const page = await ask(listAudit({ client: api(), path, query, signal }));
      return { rows: page.audit, next: page.next };
    },
  });
}
