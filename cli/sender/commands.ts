import { type Command, Option } from "commander";
import type { MarketingEndpoint, SenderRow } from "../../supabase/functions/_shared/db/queue/senders.ts";
import { CommandError } from "../errors/command_error.ts";
import { listRows } from "../terminal/list_rows.ts";
import type { Column } from "../terminal/render.ts";
import type { Run } from "../session.ts";
import { readSecret, uuid, wholeNumber } from "../terminal/values.ts";
import { createSender, listSenders, type SenderChannel, updateSender } from "./actions.ts";
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

/** `sender create | update | list`. */
export function addSenderCommands(program: Command, run: Run): void {
  const sender = program.command("sender").description(
    "connect the numbers that messages and calls leave from",
  );
  addCreate(sender, run);
  addUpdate(sender, run);
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
          json: { sender_id: senderId, waba_id: wabaId ?? null },
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
  marketingEndpoint?: MarketingEndpoint;
}

function addUpdate(sender: Command, run: Run): void {
  sender.command("update").description("change how a sender is connected; what is not given stays")
    .argument("<sender-id>", "the sender's id", uuid)
    .addOption(tokenOption())
    .addOption(marketingOption())
    .action((senderId: string, { token: given, marketingEndpoint }: UpdateOptions) =>
      run(async ({ sql, sealer }) => {
        if (given === undefined && marketingEndpoint === undefined) {
          throw new CommandError("bad_value", "Nothing to change: give --token or --marketing-endpoint");
        }
        const token = given && await readSecret("--token", given);
        const change = { senderId, token, marketingEndpoint };
        const { status } = await updateSender({ sql, sealer: sealer() }, change);
        return { json: { sender_id: senderId, status }, text: `Sender ${senderId} changed; it is ${status}` };
      })
    )
    .addHelpText(
      "after",
      '\nExamples:\n  deno task admin sender update "$SENDER" --token - < token.txt' +
        '\n  deno task admin sender update "$SENDER" --marketing-endpoint marketing_messages',
    );
}
