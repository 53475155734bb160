import { type Command, Option } from "commander";
import type { MarketingEndpoint, SenderRow } from "../../supabase/functions/_shared/db/queue/senders.ts";
import { CommandError } from "../errors/command_error.ts";
import { listRows } from "../terminal/list_rows.ts";
import { type Column, renderFields } from "../terminal/render.ts";
import type { Run } from "../session.ts";
import { readSecret, uuid, wholeNumber } from "../terminal/values.ts";
import { createSender, listSenders, type SenderChannel, showSender, updateSender } from "./actions.ts";
import { makeSandboxAccount, type SandboxAccount } from "./sandbox_account.ts";

const COLUMNS: Column<SenderRow>[] = [
  ["SENDER", (row) => row.sender_id],
  ["CHANNEL", (row) => row.channel],
  ["NUMBER", (row) => row.number],
  ["PROVIDER ID", (row) => row.platform_id],
  ["ACCOUNT", (row) => row.waba_id],
  ["TOKEN", (row) => row.has_token],
  ["RATE", (row) => row.channel === "voice" ? `${row.concurrency} calls` : row.rate_per_second],
  ["MARKETING BY", (row) => row.channel === "voice" ? null : row.marketing_endpoint],
  ["LIMIT", (row) => row.messaging_limit],
  ["QUALITY", (row) => row.quality],
  ["STATE", stateOf],
];

function stateOf({ status, stopped_reason, locked }: SenderRow): string {
  if (stopped_reason === null) return status;
  return `${locked ? "locked" : "stopped"}: ${stopped_reason}`;
}

/** `sender create | update | list | show`. */
export function addSenderCommands(program: Command, run: Run): void {
  const sender = program.command("sender").description(
    "manage the numbers that messages and calls leave from",
  );
  addCreate(sender, run);
  addUpdate(sender, run);
  addShow(sender, run);
  sender.command("list").description("list senders, never their tokens")
    .option("--company <id>", "only this company's", uuid)
    .action(({ company }: { company?: string }) =>
      run((session) =>
        listRows(session, {
          name: "senders",
          columns: COLUMNS,
          whenEmpty: "No senders yet",
          companyId: company,
          read: (session) => listSenders(session, { companyId: company }),
        })
      )
    )
    .addHelpText("after", '\nExample:\n  deno task admin sender list --company "$COMPANY"');
}

function addShow(sender: Command, run: Run): void {
  sender.command("show").description("show one sender, with what the platform reported about it")
    .argument("<sender-id>", "the sender's id", uuid)
    .action((senderId: string) =>
      run(async (session) => {
        const row = await showSender(session, { senderId });
        return { json: { ...row }, text: renderFields(fieldsOf(row)) };
      })
    )
    .addHelpText("after", '\nExample:\n  deno task admin sender show "$SENDER"');
}

function fieldsOf(row: SenderRow): [string, unknown][] {
  const isVoice = row.channel === "voice";
  return [
    ["number", row.number],
    ["channel", row.channel],
    ["platform id", row.platform_id],
    ...(isVoice ? [] : [["account", row.waba_id] as [string, unknown]]),
    ["token", row.has_token],
    isVoice ? ["calls at a time", row.concurrency] : ["messages per second", row.rate_per_second],
    ...(isVoice ? [] : [["marketing by", row.marketing_endpoint] as [string, unknown]]),
    ["state", stateOf(row)],
    ...(row.stopped_until === null ? [] : [["until", row.stopped_until] as [string, unknown]]),
    ...(isVoice ? [] : platformFieldsOf(row)),
  ];
}

function platformFieldsOf(
  {
    messaging_limit,
    quality,
    platform_notice,
    platform_notice_at,
  }: SenderRow,
): [
  string,
  unknown,
][] {
  return [
    ["messaging limit", messaging_limit],
    ["quality", quality],
    ["last warning", platform_notice],
    ...(platform_notice_at === null ? [] : [["warned at", platform_notice_at] as [string, unknown]]),
  ];
}

function tokenOption(): Option {
  return new Option("--token <token>", "the platform's access token or API key; - reads standard input")
    .env("OUTBOUND_SENDER_TOKEN");
}

function marketingOption(): Option {
  return new Option(
    "--marketing-endpoint <endpoint>",
    "WhatsApp: where marketing templates go; marketing_messages needs the account to be onboarded for it, and falls back",
  ).choices(["messages", "marketing_messages"]);
}

interface CreateOptions {
  company: string;
  channel: SenderChannel;
  number: string;
  platformId?: string;
  wabaId?: string;
  token?: string;
  rate: number;
  concurrency?: number;
  marketingEndpoint?: MarketingEndpoint;
}

function addCreate(sender: Command, run: Run): void {
  sender.command("create").description("add a sender to a company")
    .requiredOption("--company <id>", "the sender's company", uuid)
    .addOption(
      new Option("--channel <channel>", "the sender's channel").choices(["whatsapp", "voice"])
        .makeOptionMandatory(),
    )
    .requiredOption("--number <digits>", "international format, digits only")
    .option("--platform-id <id>", "the platform's id of the number (phone_number_id)")
    .option("--waba-id <id>", "the WhatsApp business account; needed on that channel")
    .addOption(tokenOption())
    .option("--rate <n>", "messages per second", wholeNumber(1), 80)
    .option("--concurrency <n>", "voice: calls at a time (default: 20)", wholeNumber(1))
    .addOption(marketingOption())
    .action(({ company, rate, ...options }: CreateOptions) =>
      run(async ({ sql, sealer, sandboxUrl }) => {
        const given = options.token && await readSecret("--token", options.token);
        const account = given ? undefined : await sandboxAccount(options, sandboxUrl);
        const { platformId = options.platformId, wabaId = options.wabaId, token = given } = account ?? {};
        if (platformId === undefined) {
          throw new CommandError("usage", "Missing option --platform-id: the platform's id of the number");
        }
        const input = { ...options, companyId: company, ratePerSecond: rate, platformId, wabaId, token };
        const { senderId } = await createSender({ sql, sealer: sealer() }, input);
        const hint = hintFor(senderId, { ...options, token, account });
        return {
          json: { sender_id: senderId },
          text: `Sender ${options.number} created: ${senderId}${hint}`,
        };
      })
    )
    .addHelpText("after", CREATE_EXAMPLE);
}

/** Creates the account in the sandbox for a sender without a token; undefined on the real platform and for calls. */
async function sandboxAccount(
  { channel, number, platformId, wabaId }: Pick<
    CreateOptions,
    "channel" | "number" | "platformId" | "wabaId"
  >,
  sandboxUrl: string | undefined,
): Promise<SandboxAccount | undefined> {
  if (channel !== "whatsapp" || sandboxUrl === undefined) return undefined;
  return await makeSandboxAccount({ sandboxUrl, number, platformId, wabaId });
}

/** Returns what to do next, on lines of its own. A voice sender without a token uses the key of the whole service. */
function hintFor(
  senderId: string,
  { channel, token, account }: {
    channel: SenderChannel;
    token: string | undefined;
    account: SandboxAccount | undefined;
  },
): string {
  if (account) return `\nThe sandbox created its account ${account.wabaId}: it can send now`;
  if (token) return "";
  const command = `deno task admin sender update ${senderId} --token -`;
  return channel === "voice"
    ? `\nIt uses the service's ELEVENLABS_API_KEY until it has a key of its own: ${command}`
    : `\nIt has no token yet: ${command}`;
}

const CREATE_EXAMPLE = `
On the stack of "deno task start", a WhatsApp sender without a token gets an account in the sandbox.

Examples:
  deno task admin sender create --company "$COMPANY" --channel whatsapp --number 15550001111
  deno task admin sender create --company "$COMPANY" --channel whatsapp --number 15550001111 \\
    --platform-id 106540352242922 --waba-id 102290129340398 --token - < token.txt
  deno task admin sender create --company "$COMPANY" --channel voice --number 15550002222 \\
    --platform-id phnum_01jz4vkn --concurrency 10`;

interface UpdateOptions {
  token?: string;
  rate?: number;
  concurrency?: number;
  marketingEndpoint?: MarketingEndpoint;
  resume?: boolean;
}

function addUpdate(sender: Command, run: Run): void {
  sender.command("update").description("change a sender; settings that are not given stay")
    .argument("<sender-id>", "the sender's id", uuid)
    .addOption(tokenOption())
    .option("--rate <n>", "messages per second", wholeNumber(1))
    .option("--concurrency <n>", "voice: calls at a time", wholeNumber(1))
    .addOption(marketingOption())
    .option("--resume", "let it send again after the platform stopped it")
    .action((
      senderId: string,
      { token: given, rate, concurrency, marketingEndpoint, resume }: UpdateOptions,
    ) =>
      run(async ({ sql, sealer }) => {
        if ([given, rate, concurrency, marketingEndpoint, resume].every((option) => option === undefined)) {
          const options = "--token, --rate, --concurrency, --marketing-endpoint or --resume";
          throw new CommandError("bad_value", `Nothing to change: give ${options}`);
        }
        const token = given && await readSecret("--token", given);
        const change = { senderId, token, ratePerSecond: rate, concurrency, marketingEndpoint, resume };
        const { status } = await updateSender({ sql, sealer: sealer() }, change);
        return { json: { sender_id: senderId, status }, text: `Sender ${senderId} changed; it is ${status}` };
      })
    )
    .addHelpText(
      "after",
      '\nExamples:\n  deno task admin sender update "$SENDER" --rate 40 --resume' +
        '\n  deno task admin sender update "$SENDER" --marketing-endpoint marketing_messages',
    );
}
