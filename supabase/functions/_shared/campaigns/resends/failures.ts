import { refuseArchived } from "../../archive/refuse_archived.ts";
import type { CampaignIds } from "../../db/campaigns/campaign_control.ts";
import type { Sql } from "../../db/driver/connect.ts";
import { readFailures, readRejected } from "../../db/campaigns/failures.ts";
import { adviceFor } from "./failure_advice.ts";

/** The notifications of a campaign that failed or were skipped for one reason, as the API and the command line show them. */
export interface Failure {
  /** The platform's code, or one of ours; `unknown` where the platform gave none. */
  code: string;
  status: "failed" | "skipped";
  count: number;
  /** How many of them were resent. */
  resent: number;
  meaning: string;
  what_to_do: string;
  /** Whether resending makes sense once `what_to_do` is done. */
  can_pass: boolean;
  /** One or two notification ids. */
  examples: string[];
}

/** Why notifications of a campaign did not arrive. */
export interface FailureReport {
  failed: number;
  skipped: number;
  /** Contacts that were refused when the request was accepted. */
  rejected: number;
  failures: Failure[];
}

/** Explains what failed or was skipped of a campaign, the most frequent reason first. Throws `campaign_archived`. */
export async function explainFailures(sql: Sql, ids: CampaignIds): Promise<FailureReport> {
  await refuseArchived(sql, ids);
  const [rows, rejected] = await Promise.all([readFailures(sql, ids), readRejected(sql, ids)]);
  const failures = rows.map(({ code, skipped, count, resent, examples }): Failure => {
    const { meaning, whatToDo, canPass } = adviceFor(code);
    const status = skipped ? "skipped" : "failed";
    return { code, status, count, resent, meaning, what_to_do: whatToDo, can_pass: canPass, examples };
  });
  const sum = (status: Failure["status"]) =>
    failures.filter((failure) => failure.status === status).reduce((total, { count }) => total + count, 0);
  return { failed: sum("failed"), skipped: sum("skipped"), rejected, failures };
}
