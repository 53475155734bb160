import { addAmounts } from "../pricing/amounts.ts";
import type { DryRunRecipient, DryRunResponse, DryRunStatus } from "./dry_run_response.ts";
import type { Warning } from "./warnings.ts";

/** Where in a file a contact is. */
interface Place {
  line: number;
}

/** A contact that would not simply be sent to, with its place in the file. */
export type Problem<At extends Place> =
  & At
  & Pick<DryRunRecipient, "index" | "number" | "user_id" | "status" | "code" | "reason">;

/** The verdicts on the contacts of a file, added up. */
export type CheckedRows<At extends Place> =
  & { total: number; problems: Problem<At>[]; warnings: (Omit<Warning, "index"> & { line?: number })[] }
  & Record<DryRunStatus, number>
  & Pick<DryRunResponse, "estimated_cost" | "estimated_cost_reason" | "not_checked">;

/** Adds up the verdicts on batches of a file. */
export interface DryRunTally<At extends Place> {
  result: CheckedRows<At>;
  /**
   * Adds a batch, and returns its problems.
   *
   * @param places those of the batch's contacts
   */
  add(places: At[], checked: DryRunResponse): Problem<At>[];
}

const MAX_WARNINGS = 100;

/** Creates a tally that keeps the first `maxProblems` problems. A recipient of an earlier batch is a duplicate. */
export function createDryRunTally<At extends Place>(maxProblems: number): DryRunTally<At> {
  const result: CheckedRows<At> = {
    ...{ total: 0, ok: 0, invalid: 0, skipped: 0, held: 0, duplicate: 0 },
    ...{ problems: [], warnings: [], estimated_cost: null, not_checked: [] },
  };
  const seen = new Set<string>();

  function add(places: At[], checked: DryRunResponse): Problem<At>[] {
    const problems: Problem<At>[] = [];
    for (const recipient of checked.recipients) {
      const { index, status, code, reason, number, user_id } = isRepeated(recipient)
        ? { ...recipient, status: "duplicate" as const, ...REPEATED }
        : recipient;
      result.total++;
      result[status]++;
      if (status === "ok") continue;
      problems.push({ ...places[index]!, index, number, user_id, status, code, reason });
    }
    result.problems.push(...problems.slice(0, maxProblems - result.problems.length));
    for (const { index, ...warning } of checked.warnings ?? []) {
      if (warning.code === "duplicate_recipient" || result.warnings.length === MAX_WARNINGS) continue;
      if (
        index === undefined &&
        result.warnings.some(({ field, code }) => field === warning.field && code === warning.code)
      ) continue;
      result.warnings.push({ ...(index !== undefined && { line: places[index]!.line }), ...warning });
    }
    addCost(result, checked);
    result.not_checked = checked.not_checked;
    return problems;
  }

  function isRepeated({ status, number, user_id }: DryRunRecipient): boolean {
    if (status === "invalid" || status === "skipped") return false;
    const address = number ?? user_id!;
    if (seen.has(address)) return true;
    seen.add(address);
    return false;
  }

  return { result, add };
}

const REPEATED = {
  code: "duplicate_recipient",
  reason: "The same recipient as an earlier line, who gets both",
} as const;

function addCost(
  result: Pick<DryRunResponse, "estimated_cost" | "estimated_cost_reason">,
  { estimated_cost: cost, estimated_cost_reason: reason }: DryRunResponse,
): void {
  if (reason !== undefined) {
    result.estimated_cost_reason = cost === null
      ? reason
      : "The rate card has no rate for some of the messages";
  }
  if (cost === null) return;
  const before = result.estimated_cost;
  result.estimated_cost = {
    amount: before === null ? cost.amount : addAmounts(before.amount, cost.amount),
    currency: cost.currency,
    complete: cost.complete && (before?.complete ?? true),
  };
}
