import { randomUUID } from "node:crypto";
import {
  type CampaignNotification,
  type CampaignStatus,
  type Client,
  sendCampaign as sendContacts,
  type SentCampaign,
  waitForCampaign,
} from "../../sdk/typescript/src/operations.ts";
import { type CsvFile, filledCells, openCsv, readCsv } from "../terminal/csv_file.ts";
import { type Progress, startProgress } from "../terminal/progress.ts";
import { clientFor, connect } from "./connection.ts";
import { OPERATIONS } from "./operation.ts";
import type { OwnOptions } from "./own_flags.ts";
import type { Program } from "./program.ts";
import { readRequest } from "./read_request.ts";
import { showResponse } from "./show_response.ts";
import { UsageError } from "./usage_error.ts";

const FLAGS = { file: { value: "FILE" }, "no-wait": {}, "company-id": { value: "ID" } };

interface Options extends OwnOptions {
  file?: string;
  "no-wait"?: boolean;
  "company-id"?: string;
}

/** Sends a notification to the contacts of a CSV file, and waits until it was sent. */
export async function sendCampaign(program: Program, args: string[]): Promise<void> {
  const { env, terminal } = program;
  const operation = OPERATIONS.find(({ id }) => id === "sendNotification")!;
  const { flags, ...others } = operation;
  const taken = flags.filter(({ field, in: place, name }) =>
    place === "body" ? !/^contacts?$/.test(field[0]!) : name === "idempotency-key"
  );
  const { parts, own } = readRequest({ ...others, flags: taken }, args, FLAGS) as
    & Omit<ReturnType<typeof readRequest>, "own">
    & { own: Options };
  if (own.file === undefined) throw new UsageError("Give the contacts with --file; - is standard input");
  const key = parts.headers["Idempotency-Key"] ?? randomUUID();
  const { client } = await clientFor(await connect(env, own), operation, own["company-id"]);
  const progress = startProgress();
  try {
    const sent = await send(
      client,
      parts.body as CampaignNotification,
      await openCsv(own.file),
      key,
      progress,
    );
    const status = own["no-wait"] ? undefined : await wait(client, sent.campaignId, progress);
    progress.stop();
    await print(program, own, sent, status);
  } catch (error) {
    progress.stop();
    terminal.note(`To go on, repeat the command with --idempotency-key ${key} within 24 hours`);
    throw error;
  }
}

async function send(
  client: Client,
  notification: CampaignNotification,
  { csv, bytes }: CsvFile,
  idempotencyKey: string,
  progress: Progress,
): Promise<SentCampaign> {
  let read = 0;
  const contacts = async function* () {
    for await (const { record, info } of readCsv(csv, (header) => header)) {
      read = info.bytes;
      yield filledCells(record);
    }
    if (read === 0) throw new UsageError("The file has no contacts");
  };
  return await sendContacts(client, notification, contacts(), {
    idempotencyKey,
    onProgress: ({ processed, failed }) =>
      progress.update(read, Math.max(bytes, read), `bytes, ${processed} accepted, ${failed} refused`),
  });
}

async function wait(client: Client, campaignId: string, progress: Progress): Promise<CampaignStatus> {
  progress.stop();
  return await waitForCampaign(client, campaignId, {
    timeoutMs: Infinity,
    until: ({ status, total, pending, processing, failed }) => {
      progress.update(total - pending - processing, total, `${status}, ${failed} failed`);
      // A scheduled or paused campaign would keep the terminal for as long.
      return status !== "sending";
    },
  });
}

async function print(
  { terminal }: Program,
  { json }: OwnOptions,
  { campaignId, total, processed, failed, errors }: SentCampaign,
  status: CampaignStatus | undefined,
): Promise<void> {
  const result = { campaign_id: campaignId, total, processed, rejected: failed, errors, status };
  if (json) return await terminal.printJson(result);
  const { status: state, sent, failed: notSent } = status ?? {};
  const outcome = status && { status: state, sent, failed: notSent };
  await terminal.print(showResponse({ ...result, status: undefined, ...outcome }, terminal.columns));
}
