import { createRefusedKeys } from "../../supabase/functions/_shared/access/refused_keys.ts";
import {
  type DryRunFile,
  dryRunPlan,
  type DryRunProblem,
  dryRunUpload,
} from "../../supabase/functions/_shared/campaigns/uploads/dry_run_upload.ts";
import type { UploadPlan } from "../../supabase/functions/_shared/campaigns/uploads/upload_plan.ts";
import { createExpiringCache } from "../../supabase/functions/_shared/concurrency/expiring_cache.ts";
import type { Sealer } from "../../supabase/functions/_shared/crypto/seal.ts";
import type { Sql } from "../../supabase/functions/_shared/db/driver/connect.ts";
import { readActiveKey } from "../../supabase/functions/_shared/db/access/keys.ts";
import { readSendContext } from "../../supabase/functions/_shared/db/queue/send_context.ts";
import { AppError } from "../../supabase/functions/_shared/errors.ts";
import { readCsvRows } from "../../supabase/functions/_shared/rows/csv_rows.ts";
import { decodeParts, type FileRow } from "../../supabase/functions/_shared/rows/file_row.ts";
import { phoneCountryOf } from "../../supabase/functions/_shared/rows/phone_cell.ts";
import { CommandError } from "../errors/command_error.ts";
import { noKey, requireCompanies } from "../errors/refusals.ts";

const MAX_PROBLEMS = 1000;

export interface CheckRequest {
  companyId: string;
  csv: ReadableStream<Uint8Array>;
  /** The fields of the request besides its contacts. An `agent_id` makes it a request for calls. */
  fields: Record<string, unknown>;
  /** The fields of a contact that columns with other names hold: column by field. */
  columns: Record<string, string>;
  /** Of numbers without a country code; that of the sender's number if left out. */
  country: string | undefined;
  onProgress?(bytes: number): void;
}

/** A contact that would not simply be sent to, with its line in the file. */
export type Problem = DryRunProblem;

export interface CheckedFile
  extends Omit<DryRunFile, "rows" | "accepted" | "refused" | "byCode" | "samples"> {
  total: number;
  /** Of numbers without a country code. */
  country: string | null;
}

/**
 * Checks a campaign to the contacts of a CSV file as an upload's dry run does. Stores nothing and costs the company's key
 * nothing. A recipient who was in an earlier line is a duplicate, wherever that line was.
 *
 * @throws {CommandError} `bad_value` when the file or the request as a whole is at fault; `not_found`
 */
export async function checkCampaign(
  context: { sql: Sql; sealer(): Sealer; ttlS: number },
  request: CheckRequest,
): Promise<CheckedFile> {
  const { companyId, csv, fields } = request;
  await requireCompanies(context.sql, companyId);
  const key = await readActiveKey(context.sql, companyId);
  if (key === undefined) throw noKey(companyId);
  const plan: UploadPlan = {
    channel: fields.agent_id === undefined ? "whatsapp" : "voice",
    fields,
    columns: {},
    duplicates: "accept",
    country: request.country ?? null,
    audience: null,
    file_name: null,
    list_name: null,
  };
  try {
    const services = servicesOf(context);
    const { sender } = await dryRunPlan(services, { companyId, plan, keyHash: key.hash });
    plan.country ??= sender.sender_number && phoneCountryOf(sender.sender_number);
    const rows = followed(readCsvRows(decodeParts(csv), useColumns), request);
    const checked = await dryRunUpload(services, {
      companyId,
      plan,
      keyHash: key.hash,
      rows,
      maxProblems: MAX_PROBLEMS,
    });
    const { rows: total, accepted: _, refused: __, byCode: ___, samples: ____, ...file } = checked;
    return { total, ...file, country: plan.country };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw new CommandError("bad_value", describeRefusal(error), { cause: error });
  }

  /** The names of the columns are known before the first row. */
  function useColumns(header: string[]): string[] {
    const names = fieldsOf(header, request.columns);
    plan.columns = Object.fromEntries(names.map((name) => [name, name]));
    return names;
  }
}

async function* followed(
  rows: AsyncIterable<FileRow>,
  { onProgress }: Pick<CheckRequest, "onProgress">,
): AsyncGenerator<FileRow> {
  for await (const row of rows) {
    yield row;
    if (row.row % 100 === 0) onProgress?.(row.bytes);
  }
}

function servicesOf({ sql, sealer, ttlS }: { sql: Sql; sealer(): Sealer; ttlS: number }) {
  return {
    sql,
    sealer: sealer(),
    now: () => new Date(),
    env: { OUTBOUND_NOTIFICATION_TTL_S: ttlS },
    refusedKeys: createRefusedKeys(),
    sendContexts: createExpiringCache(
      (query: Parameters<typeof readSendContext>[1]) => readSendContext(sql, query),
      { ttlMs: 30_000, maxEntries: 1 },
    ),
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
