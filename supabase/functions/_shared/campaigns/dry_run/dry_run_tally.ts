import { addAmounts } from "../../pricing/estimate.ts";
import { phoneCountryOf } from "../../rows/phone_cell.ts";
import type { DryRunRecipient, DryRunResponse, DryRunStatus } from "./dry_run_response.ts";
import { addAudience, type AudienceLists } from "./audience.ts";
import { addWarning } from "../send_preview.ts";
import type { Warning } from "../warnings.ts";

/** Where in a file a contact is. */
interface FilePosition {
  line: number;
}

/** A contact that would not simply be sent to. */
type Problem = Pick<DryRunRecipient, "index" | "number" | "user_id" | "status" | "code" | "reason">;

/** The verdicts on the contacts of a file, added up. */
export type CheckedRows =
  & { total: number; warnings: (Omit<Warning, "index"> & { line?: number })[] }
  & Record<DryRunStatus, number>
  & Pick<
    DryRunResponse,
    "estimated_cost" | "estimated_cost_code" | "estimated_cost_reason" | "not_checked"
  >;

/** Adds up the verdicts on batches of a file. */
export interface DryRunTally {
  result: CheckedRows;
  /** How many accepted contacts each country has, by its two letters; ZZ where a number shows none. */
  countries: Map<string, number>;
  /** Counts of the same contacts by everything else. */
  audience: AudienceLists;
  /**
   * Adds a batch, and returns its problems.
   *
   * @param positions those of the batch's contacts
   */
  add(positions: FilePosition[], checked: DryRunResponse): Problem[];
}

const MAX_WARNINGS = 100;

/** Creates a tally. A recipient of an earlier batch is a duplicate. */
export function createDryRunTally(): DryRunTally {
  const result: CheckedRows = {
    ...{ total: 0, ok: 0, invalid: 0, skipped: 0, held: 0, duplicate: 0 },
    ...{ warnings: [], estimated_cost: null, not_checked: [] },
  };
  const countries = new Map<string, number>();
  const seen = new Set<string>();
  const audience: AudienceLists = { languages: [], senders: [], zones: [] };

  function add(positions: FilePosition[], checked: DryRunResponse): Problem[] {
    const problems: Problem[] = [];
    for (const recipient of checked.recipients) {
      const { index, status, code, reason, number, user_id } = isRepeated(recipient)
        ? { ...recipient, status: "duplicate" as const, ...REPEATED }
        : recipient;
      result.total++;
      result[status]++;
      if (status !== "invalid" && status !== "skipped") countCountry(recipient);
      if (status === "ok") continue;
      problems.push({ index, number, user_id, status, code, reason });
    }
    for (const { index, ...warning } of checked.warnings ?? []) {
      if (warning.code === "duplicate_recipient" || result.warnings.length === MAX_WARNINGS) continue;
      const known = index !== undefined ? -1 : result.warnings.findIndex(
        ({ line, field, code }) => line === undefined && field === warning.field && code === warning.code,
      );
      if (known < 0) {
        result.warnings.push({ ...(index !== undefined && { line: positions[index]!.line }), ...warning });
      } else result.warnings[known] = addWarning(result.warnings[known]!, warning);
    }
    Object.assign(audience, addAudience(audience, checked));
    addCost(result, checked);
    result.not_checked = checked.not_checked;
    return problems;
  }

  function countCountry({ country, number }: DryRunRecipient): void {
    const code = country ?? (number && phoneCountryOf(number)) ?? "ZZ";
    countries.set(code, (countries.get(code) ?? 0) + 1);
  }

  function isRepeated({ status, number, user_id }: DryRunRecipient): boolean {
    if (status === "invalid" || status === "skipped") return false;
    const address = number ?? user_id!;
    if (seen.has(address)) return true;
    seen.add(address);
    return false;
  }

  return { result, countries, audience, add };
}

const REPEATED = {
  code: "duplicate_recipient",
  reason: "The same recipient as an earlier line, who gets both",
} as const;

function addCost(
  result: Pick<DryRunResponse, "estimated_cost" | "estimated_cost_code" | "estimated_cost_reason">,
  { estimated_cost: cost, estimated_cost_code: code, estimated_cost_reason: reason }: DryRunResponse,
): void {
  if (code !== undefined) {
    result.estimated_cost_code = code;
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
