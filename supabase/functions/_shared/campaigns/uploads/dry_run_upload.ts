import { AppError } from "../../errors.ts";
import { findNewCallingCodes } from "../../db/campaigns/new_countries.ts";
import type { FileRow } from "../../rows/file_row.ts";
import { callingCodeOf } from "../../rows/phone_cell.ts";
import { describeDryRun } from "../dry_run/describe_dry_run.ts";
import type { DryRunRecipient, DryRunResponse, DryRunStatus } from "../dry_run/dry_run_response.ts";
import type { AudienceLists } from "../dry_run/audience.ts";
import { type CheckedRows, createDryRunTally, type DryRunTally } from "../dry_run/dry_run_tally.ts";
import type { NotificationRequest } from "../notification_request.ts";
import type { CampaignServices } from "../queue_campaign.ts";
import { dryRunCampaign, type DryRunPlan } from "../dry_run/dry_run_campaign.ts";
import { batchesOf, emptyFile, type RowBatch } from "./row_batches.ts";
import { refusedRow, type RowProblem } from "./row_contact.ts";
import { MAX_PROBLEMS } from "./upload_step.ts";
import { limitWarnings } from "../send_preview.ts";
import type { Warning } from "../warnings.ts";
import { type PlannedRequest, requestOf, type UploadPlan } from "./upload_plan.ts";

type DryRunServices = Omit<CampaignServices, "acceptances" | "newWork">;

export interface DryRunUploadInput {
  companyId: string;
  plan: UploadPlan;
  keyHash: string;
  rows: AsyncIterable<FileRow>;
  /** How many problems are described. */
  maxProblems?: number;
  /** Whether they have the cells of their rows. */
  withCells?: boolean;
}

/** A message as its recipient would see it. */
export interface RenderedRow {
  row: number;
  rendered: NonNullable<DryRunRecipient["rendered"]>;
}

/** The accepted rows of a country. */
export interface CountryCount {
  /** Two letters; ZZ where the numbers show none. */
  country: string;
  count: number;
  /** Whether the company has no record of sending to it. */
  is_new: boolean;
}

/** The verdicts on the rows of a file. */
export interface DryRunFile extends Omit<CheckedRows, "total">, AudienceLists {
  rows: number;
  /** A real request would store so many, and refuse the others. */
  accepted: number;
  refused: number;
  /** How many rows have a verdict besides `ok`, by code. */
  byCode: Record<string, number>;
  /** The first ones that are not `ok`. */
  problems: DryRunProblem[];
  /** Of the first rows that would be sent. */
  samples: RenderedRow[];
  /** Most rows first. */
  countries: CountryCount[];
}

/** With what the file has as the recipient, and all its cells where they are asked for. */
export type DryRunProblem = RowProblem & {
  status: DryRunStatus;
  recipient: string | null;
  cells?: FileRow["cells"];
};

const MAX_SAMPLES = 3;

/** Warnings about a hundred rows that count for the whole file instead. */
const LIMITS: ReadonlySet<string> = new Set(["sender_limit", "sender_quality"]);

/**
 * Makes every check of `sendUpload` on the rows of a file, and stores nothing. Throws what it refuses: a fault of the
 * file, or what concerns every row.
 */
export async function dryRunUpload(services: DryRunServices, input: DryRunUploadInput): Promise<DryRunFile> {
  const planned = { ...requestOf(input.plan), keyHash: input.keyHash };
  const { maxProblems = MAX_PROBLEMS, withCells = false } = input;
  const tally = createDryRunTally();
  const file = { rows: 0, accepted: 0, byCode: {} as Record<string, number> };
  const before = { invalid: 0, skipped: 0, duplicate: 0 };
  const problems: DryRunProblem[] = [];
  const samples: RenderedRow[] = [];
  let sender: DryRunPlan["sender"] | undefined;
  const cells = new Map<number, FileRow["cells"]>();
  for await (const batch of batchesOf(withCells ? keepingCells(input.rows, cells) : input.rows, input.plan)) {
    const dryRun = batch.contacts.length === 0 ? null : await dryRunBatch(services, input, planned, batch);
    const refused = batch.problems.map((problem) => withStatus(problem, batch));
    for (const { status } of refused) before[status]++;
    const found = [
      ...refused,
      ...dryRun ? problemsOf(tally, dryRun, batch, input.plan) : [],
    ];
    sender = dryRun?.plan.sender ?? sender;
    file.rows += batch.rows;
    file.accepted += dryRun?.plan.batch.notifications.length ?? 0;
    for (const { code } of found) file.byCode[code] = (file.byCode[code] ?? 0) + 1;
    const described = found.sort((a, b) => a.row - b.row).slice(0, maxProblems - problems.length);
    problems.push(
      ...withCells ? described.map((each) => ({ ...each, cells: cells.get(each.row)! })) : described,
    );
    cells.clear();
    samples.push(...(dryRun ? renderedOf(dryRun.checked, batch) : []).slice(0, MAX_SAMPLES - samples.length));
  }
  if (file.rows === 0) throw emptyFile();
  const { total: _, invalid, skipped, duplicate, ...checked } = tally.result;
  const countries = await describeCountries(services, input, tally.countries);
  return {
    ...checked,
    warnings: [
      ...sender ? limitWarnings(sender, checked.ok + checked.held) : [],
      ...countries.filter(({ is_new }) => is_new).map(warningOf),
      ...checked.warnings.filter(({ code }) => !LIMITS.has(code)),
    ],
    ...file,
    refused: file.rows - file.accepted,
    invalid: invalid + before.invalid,
    skipped: skipped + before.skipped,
    duplicate: duplicate + before.duplicate,
    problems,
    samples,
    countries,
    ...tally.audience,
  };
}

/** Passes on rows, and keeps the cells of those that no batch has taken yet. */
async function* keepingCells(
  rows: AsyncIterable<FileRow>,
  kept: Map<number, FileRow["cells"]>,
): AsyncGenerator<FileRow> {
  for await (const row of rows) {
    kept.set(row.row, row.cells);
    yield row;
  }
}

/** The default country is never new: the member has chosen it. */
async function describeCountries(
  { sql }: DryRunServices,
  { companyId, plan }: DryRunUploadInput,
  counts: ReadonlyMap<string, number>,
): Promise<CountryCount[]> {
  const codes = new Map([...counts.keys()].map((country) => [country, callingCodeOf(country)]));
  const callingCodes = [...new Set(codes.values())].filter((code) => code !== undefined);
  const fresh = new Set(await findNewCallingCodes(sql, { companyId, callingCodes }));
  return [...counts].map(([country, count]) => ({
    country,
    count,
    is_new: country !== plan.country && fresh.has(codes.get(country) ?? ""),
  })).sort((a, b) => b.count - a.count || a.country.localeCompare(b.country));
}

const countryNames = new Intl.DisplayNames(["en"], { type: "region" });

function warningOf({ country, count }: CountryCount): Warning {
  return {
    code: "new_country",
    message:
      `${count} of the numbers are in ${
        countryNames.of(country)
      } (${country}), to which the company has never ` +
      "sent: check that they have the right country code",
    field: "number",
  };
}

interface DryRunBatch {
  plan: DryRunPlan;
  checked: DryRunResponse;
}

async function dryRunBatch(
  services: DryRunServices,
  { companyId }: DryRunUploadInput,
  planned: PlannedRequest & { keyHash: string },
  { contacts }: RowBatch,
): Promise<DryRunBatch> {
  const given = contacts.map(({ contact }) => contact);
  const plan = await dryRunContacts(services, planned, given);
  const now = services.now();
  return { plan, checked: await describeDryRun(services.sql, { companyId, plan, now, contacts: given }) };
}

function problemsOf(
  tally: DryRunTally,
  { plan: { batch: { failures } }, checked }: DryRunBatch,
  { contacts }: RowBatch,
  plan: UploadPlan,
): DryRunProblem[] {
  const fields = new Map(failures.map(({ index, field }) => [index, field]));
  return tally.add(contacts, checked).map(({ index, number, user_id, status, code, reason }) => {
    const refusal = { field: fields.get(index) ?? null, code: code!, reason: reason! };
    return { ...refusedRow(contacts[index]!, refusal, plan), recipient: number ?? user_id, status };
  });
}

/** The statuses of rows that are refused before they are checked, by their codes. Any other code is `invalid`. */
const STATUSES = { duplicate_recipient: "duplicate", recipient_opted_out: "skipped" } as const;

function withStatus(
  problem: RowProblem,
  { recipients }: RowBatch,
): DryRunProblem & { status: "invalid" | "skipped" | "duplicate" } {
  const status = Object.hasOwn(STATUSES, problem.code)
    ? STATUSES[problem.code as keyof typeof STATUSES]
    : "invalid";
  return { ...problem, recipient: recipients.get(problem.row) || null, status };
}

function renderedOf({ recipients }: DryRunResponse, { contacts }: RowBatch): RenderedRow[] {
  return recipients.flatMap(({ index, rendered }) =>
    rendered === null ? [] : { row: contacts[index]!.row, rendered }
  );
}

/** Asks what the plan of an upload meets before any row is known. Throws the refusal. Returns the warnings. */
export async function dryRunPlan(
  services: DryRunServices,
  { plan, keyHash }: Omit<DryRunUploadInput, "rows">,
): Promise<DryRunPlan> {
  return await dryRunContacts(services, { ...requestOf(plan), keyHash }, []);
}

async function dryRunContacts(
  services: DryRunServices,
  { channel, request, keyHash }: PlannedRequest & { keyHash: string },
  contacts: Record<string, unknown>[],
): Promise<DryRunPlan> {
  const dryRun = await dryRunCampaign<NotificationRequest>(services, channel, {
    keyHash,
    request: { ...request, contacts },
    campaignId: null,
    more: true,
    unmetered: true,
  });
  if (dryRun.kind === "refused") throw AppError.from(dryRun.refusal);
  if (dryRun.kind === "failed") throw dryRun.error;
  return dryRun.plan;
}
