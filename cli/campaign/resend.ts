import {
  explainFailures,
  type FailureReport,
} from "../../supabase/functions/_shared/campaigns/resends/failures.ts";
import { resendCampaign as resend } from "../../supabase/functions/_shared/campaigns/resends/resend_campaign.ts";
import {
  readResend,
  resendResponse,
  type ResentCampaign,
} from "../../supabase/functions/_shared/campaigns/resends/resend_request.ts";
import { CLI } from "../../supabase/functions/_shared/db/access/audit.ts";
import type { Sql } from "../../supabase/functions/_shared/db/driver/connect.ts";
import { AppError, type Refusal } from "../../supabase/functions/_shared/errors.ts";
import { CommandError } from "../errors/command_error.ts";
import { asCommand } from "../contact/refusals.ts";
import type { Session } from "../session.ts";
import { companyOf } from "./actions.ts";

/**
 * Explains what failed or was skipped of a campaign, by code.
 *
 * @throws {CommandError} `not_found`
 */
export async function listFailures(
  { sql }: { sql: Sql },
  { campaignId }: { campaignId: string },
): Promise<FailureReport> {
  const companyId = await companyOf(sql, campaignId);
  return await asCommand(() => explainFailures(sql, { companyId, campaignId }));
}

export interface ResendOptions {
  campaignId: string;
  /** Null for all codes that can pass. */
  codes: string[] | null;
  name: string | null;
  /** In `timezone`, YYYY-MM-DDTHH:MM:SS. */
  at: string | null;
  timezone: string | null;
  onStep?: (made: number) => void;
}

/**
 * Makes a new campaign of those who failed. It counts for the key of the old campaign, whose quota does not limit it.
 *
 * @throws {CommandError} `not_found`, `bad_value` or `refused`
 */
export async function resendCampaign(
  { sql, notificationTtlS }: Pick<Session, "sql" | "notificationTtlS">,
  { campaignId, codes, name, at, timezone, onStep }: ResendOptions,
): Promise<ResentCampaign> {
  const companyId = await companyOf(sql, campaignId);
  const services = {
    sql,
    now: () => new Date(),
    // No scraper reads the metrics of a command.
    metrics: { accepted: { add() {} } },
    // A dispatcher finds the work by its own clock.
    newWork: { notify() {} },
    env: { OUTBOUND_NOTIFICATION_TTL_S: notificationTtlS },
  };
  const result = await asCommand(() =>
    resend(services, {
      companyId,
      campaignId,
      request: readRequest({ codes, campaign_name: name, datetime_sending: at, timezone }),
      apiKeyId: null,
      by: CLI,
      idempotent: null,
      ...(onStep && { onStep }),
    })
  );
  if (result.kind === "refused") throw asCommandError(result.refusal);
  return resendResponse(campaignId, result.counts);
}

function readRequest(fields: Record<string, unknown>): ReturnType<typeof readResend> {
  try {
    return readResend(fields);
  } catch (error) {
    throw error instanceof AppError ? asCommandError(error) : error;
  }
}

function asCommandError({ code, message }: Refusal): CommandError {
  return new CommandError(code === "validation_failed" ? "bad_value" : "refused", message);
}
