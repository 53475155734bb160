import { type Command, Option } from "commander";
import { createSender, type SenderChannel } from "../actions/create_sender.ts";
import { listSenders, type SenderRow, showSender } from "../actions/list_senders.ts";
import { updateSender } from "../actions/update_sender.ts";
import { CommandError } from "../command_error.ts";
import { renderFields } from "../output/render_fields.ts";
import { type Column, renderTable } from "../output/render_table.ts";
import { snakeKeys } from "../output/snake_keys.ts";
import type { Run } from "./answer.ts";
import { readSecret } from "./values/read_secret.ts";
import { uuid } from "./values/uuid.ts";
import { wholeNumber } from "./values/whole_number.ts";

const COLUMNS: Column<SenderRow>[] = [
  ["SENDER", (row) => row.senderId],
  ["CHANNEL", (row) => row.channel],
  ["NUMBER", (row) => row.number],
  ["PROVIDER ID", (row) => row.providerId],
  ["ACCOUNT", (row) => row.wabaId],
  ["TOKEN", (row) => row.hasToken],
  ["RATE", (row) => row.channel === "voice" ? `${row.concurrency} calls` : row.ratePerSecond],
  ["LIMIT", (row) => row.messagingLimit],
  ["QUALITY", (row) => row.quality],
  ["STATE", stateOf],
];

function stateOf({ status, stoppedReason, stoppedForGood }: SenderRow): string {
  if (stoppedReason === null) return status;
  return `${stoppedForGood ? "locked" : "stopped"}: ${stoppedReason}`;
}

/** `sender create | update | list | show`. */
export function addSenderCommands(program: Command, run: Run): void {
  const sender = program.command("sender").description("numbers that messages and calls leave from");
  addCreate(sender, run);
  addUpdate(sender, run);
  addShow(sender, run);
  sender.command("list").description("senders, never their tokens")
    .option("--company <id>", "only of this company", uuid)
    .action(({ company }: { company?: string }) =>
      run(async (session) => {
        const rows = await listSenders(session, { companyId: company });
        return { json: { senders: rows.map(snakeKeys) }, text: renderTable(COLUMNS, rows, "No senders yet") };
      })
    )
    .addHelpText("after", '\nExample:\n  deno task admin sender list --company "$COMPANY"');
}

function addShow(sender: Command, run: Run): void {
  sender.command("show").description("one sender, with what the platform reported about it")
    .argument("<sender-id>", "its id", uuid)
    .action((senderId: string) =>
      run(async (session) => {
        const row = await showSender(session, { senderId });
        return { json: snakeKeys(row), text: renderFields(fieldsOf(row)) };
      })
    )
    .addHelpText("after", '\nExample:\n  deno task admin sender show "$SENDER"');
}

function fieldsOf(row: SenderRow): [string, unknown][] {
  const isVoice = row.channel === "voice";
  return [
    ["number", row.number],
    ["channel", row.channel],
    ["provider id", row.providerId],
    ...(isVoice ? [] : [["account", row.wabaId] as [string, unknown]]),
    ["token", row.hasToken],
    isVoice ? ["calls at a time", row.concurrency] : ["messages per second", row.ratePerSecond],
    ["state", stateOf(row)],
    ...(row.stoppedUntil === null ? [] : [["until", row.stoppedUntil] as [string, unknown]]),
    ...(isVoice ? [] : platformFieldsOf(row)),
  ];
}

function platformFieldsOf({ messagingLimit, quality, platformNotice, platformNoticeAt }: SenderRow): [
  string,
  unknown,
][] {
  return [
    ["messaging limit", messagingLimit],
    ["quality", quality],
    ["last warning", platformNotice],
    ...(platformNoticeAt === null ? [] : [["warned at", platformNoticeAt] as [string, unknown]]),
  ];
}

function tokenOption(): Option {
  return new Option("--token <token>", "the platform's access token or API key; - reads standard input")
    .env("OUTBOUND_SENDER_TOKEN");
}

interface CreateOptions {
  company: string;
  channel: SenderChannel;
  number: string;
  providerId: string;
  wabaId?: string;
  token?: string;
  rate: number;
  concurrency?: number;
}

function addCreate(sender: Command, run: Run): void {
  sender.command("create").description("add a number to a company")
    .requiredOption("--company <id>", "whose number", uuid)
    .addOption(
      new Option("--channel <channel>", "what it is for").choices(["whatsapp", "voice"])
        .makeOptionMandatory(),
    )
    .requiredOption("--number <digits>", "international format, digits only")
    .requiredOption("--provider-id <id>", "the platform's id of the number (phone_number_id)")
    .option("--waba-id <id>", "the WhatsApp business account; needed on that channel")
    .addOption(tokenOption())
    .option("--rate <n>", "messages a second", wholeNumber(1), 80)
    .option("--concurrency <n>", "voice: calls at a time (default: 20)", wholeNumber(1))
    .action(({ company, rate, ...options }: CreateOptions) =>
      run(async ({ sql, sealer }) => {
        const token = options.token && await readSecret("--token", options.token);
        const input = { ...options, companyId: company, ratePerSecond: rate, token };
        const { senderId } = await createSender({ sql, sealer: sealer() }, input);
        const hint = token ? "" : `\n${hintWithoutToken(senderId, options.channel)}`;
        return { json: { sender_id: senderId }, text: `Sender ${options.number} made: ${senderId}${hint}` };
      })
    )
    .addHelpText("after", CREATE_EXAMPLE);
}

/** Calls can also be made with the key of the whole service. */
function hintWithoutToken(senderId: string, channel: SenderChannel): string {
  const command = `deno task admin sender update ${senderId} --token -`;
  return channel === "voice"
    ? `Its calls are made with the service's ELEVENLABS_API_KEY, unless it gets a key of its own: ${command}`
    : `It has no token yet: ${command}`;
}

const CREATE_EXAMPLE = `
Examples:
  deno task admin sender create --company "$COMPANY" --channel whatsapp --number 15550001111 \\
    --provider-id 106540352242922 --waba-id 102290129340398 --token - < token.txt
  deno task admin sender create --company "$COMPANY" --channel voice --number 15550002222 \\
    --provider-id phnum_01jz4vkn --concurrency 10`;

interface UpdateOptions {
  token?: string;
  rate?: number;
  concurrency?: number;
  resume?: boolean;
}

function addUpdate(sender: Command, run: Run): void {
  sender.command("update").description("change a sender; what is not given stays")
    .argument("<sender-id>", "its id", uuid)
    .addOption(tokenOption())
    .option("--rate <n>", "messages a second", wholeNumber(1))
    .option("--concurrency <n>", "voice: calls at a time", wholeNumber(1))
    .option("--resume", "let it send again after the platform stopped it")
    .action((senderId: string, { token: given, rate, concurrency, resume }: UpdateOptions) =>
      run(async ({ sql, sealer }) => {
        if ([given, rate, concurrency, resume].every((option) => option === undefined)) {
          const options = "--token, --rate, --concurrency or --resume";
          throw new CommandError("bad_value", `Nothing to change: give ${options}`);
        }
        const token = given && await readSecret("--token", given);
        const change = { senderId, token, ratePerSecond: rate, concurrency, resume };
        const { status } = await updateSender({ sql, sealer: sealer() }, change);
        return { json: { sender_id: senderId, status }, text: `Sender ${senderId} changed; it is ${status}` };
      })
    )
    .addHelpText("after", '\nExample:\n  deno task admin sender update "$SENDER" --rate 40 --resume');
}
