import { createRefusedKeys } from "../../supabase/functions/_shared/access/refused_keys.ts";
import type { Channel } from "../../supabase/functions/_shared/campaigns/channel.ts";
import { chatChannel } from "../../supabase/functions/_shared/campaigns/chat.ts";
import { describeDryRun } from "../../supabase/functions/_shared/campaigns/describe_dry_run.ts";
import type { DryRunResponse } from "../../supabase/functions/_shared/campaigns/dry_run_response.ts";
import {
  type CheckedRows,
  createDryRunTally,
  type Problem as RowProblem,
} from "../../supabase/functions/_shared/campaigns/dry_run_tally.ts";
import {
  type NotificationRequest,
  pickContacts,
} from "../../supabase/functions/_shared/campaigns/notification_request.ts";
import { tryCampaign } from "../../supabase/functions/_shared/campaigns/try_campaign.ts";
import { voiceChannel } from "../../supabase/functions/_shared/campaigns/voice.ts";
import { createExpiringCache } from "../../supabase/functions/_shared/concurrency/expiring_cache.ts";
import type { Sealer } from "../../supabase/functions/_shared/crypto/seal.ts";
import type { Sql } from "../../supabase/functions/_shared/db/connect.ts";
import { readCurrentKeyHash } from "../../supabase/functions/_shared/db/keys.ts";
import { readSendContext } from "../../supabase/functions/_shared/db/send_context.ts";
import { AppError } from "../../supabase/functions/_shared/errors.ts";
import { filledCells, readCsv } from "../csv_file.ts";
import { CommandError } from "../errors/command_error.ts";
import { noKey, requireCompanies } from "../errors/refusals.ts";

/** The most that a request takes. */
const CONTACTS_PER_BATCH = 100;
const MAX_PROBLEMS = 1000;

export interface CheckRequest {
  companyId: string;
  csv: ReadableStream<Uint8Array>;
  /** The fields of the request besides its contacts. An `agent_id` makes it a request for calls. */
  fields: Record<string, unknown>;
  /** The fields of a contact that columns with other names hold: column by field. */
  columns: Record<string, string>;
  onProgress?(bytes: number): void;
}

/** A contact that would not simply be sent to, with its line in the file. */
export type Problem = RowProblem<{ line: number }>;

export type CheckedFile = CheckedRows<{ line: number }>;

/**
 * Checks a campaign to the contacts of a CSV file, 100 at a time, as a dry run does. Stores nothing and costs the company's key
 * nothing. A recipient who was in an earlier line is a duplicate, wherever that line was.
 *
 * @throws {CommandError} `bad_value` when the file or the request as a whole is at fault; `not_found`
 */
export async function checkCampaign(
  context: { sql: Sql; sealer(): Sealer; ttlS: number },
  request: CheckRequest,
): Promise<CheckedFile> {
  const { sql } = context;
  await requireCompanies(sql, request.companyId);
  const keyHash = await readCurrentKeyHash(sql, request.companyId);
  if (keyHash === undefined) throw noKey(request.companyId);
  const check = createCheck(context, keyHash, request);
  const file = createDryRunTally<{ line: number }>(MAX_PROBLEMS);
  let batch: { line: number; contact: Record<string, string> }[] = [];
  for await (const { record, info } of readCsv(request.csv, (header) => fieldsOf(header, request.columns))) {
    batch.push({ line: info.lines, contact: filledCells(record) });
    if (batch.length < CONTACTS_PER_BATCH) continue;
    file.add(batch.map(({ line }) => ({ line })), await check(batch.map(({ contact }) => contact)));
    request.onProgress?.(info.bytes);
    batch = [];
  }
  if (batch.length > 0) {
    file.add(batch.map(({ line }) => ({ line })), await check(batch.map(({ contact }) => contact)));
  }
  if (file.result.total === 0) throw new CommandError("bad_value", "The file has no contacts");
  return file.result;
}

function createCheck(
  { sql, sealer, ttlS }: { sql: Sql; sealer(): Sealer; ttlS: number },
  keyHash: string,
  { companyId, fields }: CheckRequest,
): (contacts: Record<string, string>[]) => Promise<DryRunResponse> {
  const services = {
    sql,
    sealer: sealer(),
    now: () => new Date(),
    env: { NOTIFICATION_TTL_S: ttlS },
    refusedKeys: createRefusedKeys(),
    sendContexts: createExpiringCache(
      (query: Parameters<typeof readSendContext>[1]) => readSendContext(sql, query),
      { ttlMs: 30_000, maxEntries: 1 },
    ),
  };
  return async (contacts) => {
    const root = { ...fields, contacts };
    const body = { root, ...pickContacts(root, { flat: false }) };
    return fields.agent_id === undefined ? await dryRun(chatChannel) : await dryRun(voiceChannel);

    async function dryRun<Request extends NotificationRequest>(channel: Channel<Request>) {
      try {
        const request = channel.read(body);
        const tried = await tryCampaign(services, channel, {
          keyHash,
          request,
          campaignId: null,
          more: false,
          unmetered: true,
        });
        if (tried.kind === "refused") throw AppError.from(tried.refusal);
        if (tried.kind === "failed") throw tried.error;
        return await describeDryRun(sql, {
          companyId,
          channel,
          request,
          plan: tried.plan,
          now: services.now(),
        });
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        throw new CommandError("bad_value", describeRefusal(error), { cause: error });
      }
    }
  };
}

function describeRefusal({ message, details }: AppError): string {
  const missing = details?.missing as string[] | undefined;
  const unexpected = details?.unexpected as string[] | undefined;
  const parts = [
    missing?.length ? `missing: ${missing.join(", ")}` : "",
    unexpected?.length ? `not in the template: ${unexpected.join(", ")}` : "",
  ].filter((part) => part !== "");
  return parts.length === 0 ? message : `${message} (${parts.join("; ")})`;
}

/** Names each column by the field of the contact that it holds. */
function fieldsOf(header: string[], columns: Record<string, string>): string[] {
  const unknown = Object.values(columns).find((column) => !header.includes(column));
  if (unknown !== undefined) {
    throw new CommandError("bad_value", `The file has no column '${unknown}': it has ${header.join(", ")}`);
  }
  const byColumn = new Map(Object.entries(columns).map(([field, column]) => [column, field]));
  const fields = header.map((column) => byColumn.get(column) ?? column);
  if (fields.includes("number") || fields.includes("user_id")) return fields;
  throw new CommandError(
    "bad_value",
    `No column is the number: name one with --map number=COLUMN. The file has ${header.join(", ")}`,
  );
}
