import type { List } from "../../data/list.ts";
import { useRows } from "../../data/rows.ts";
import { type AuditEntry, listAudit } from "../../data/sdk.ts";

/** The filters of the audit, as they are in the address. */
export type AuditFilters = Partial<Record<"action" | "actor" | "subject", string | undefined>>;

/** Reads the audit, newest first. */
export function useAudit({ action, actor, subject }: AuditFilters): List<AuditEntry> {
  return useRows(listAudit, "audit", ({ id }) => id, { query: { action, actor, subject } });
}
