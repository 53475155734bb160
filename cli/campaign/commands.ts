import { type Command, Option } from "commander";
import {
  describeRecipient,
  type Recipient,
  recipientsFile,
} from "../../supabase/functions/_shared/campaigns/recipients.ts";
import { describeCost, type PricedCount } from "../../supabase/functions/_shared/pricing/campaign_cost.ts";
import type {
  CampaignSummary,
  CounterCheck,
} from "../../supabase/functions/_shared/db/campaigns/campaigns.ts";
import {
  NOTIFICATION_STATUSES,
  type NotificationStatus,
} from "../../supabase/functions/_shared/db/campaigns/recipients.ts";
import { type Column, renderFields, renderTable, snakeKeys } from "../terminal/render.ts";
import type { Run } from "../session.ts";
import { uuid, wholeNumber } from "../terminal/values.ts";
import { addCheck } from "./check_command.ts";
import {
  cancelCampaign,
  listCampaigns,
  openRecipients,
  pauseCampaign,
  priceCampaign,
  resumeCampaign,
  showCampaign,
  verifyCampaign,
} from "./actions.ts";
import { addFailureCommands } from "./failure_commands.ts";

const COLUMNS: Column<CampaignSummary>[] = [
  ["CAMPAIGN", (row) => row.campaign_id],
  ["NAME", (row) => row.campaign_name],
  ["STATUS", (row) => row.status],
  ["TOTAL", (row) => row.total],
  ["PENDING", (row) => row.pending],
  ["PROCESSING", (row) => row.processing],
  ["SENT", (row) => row.sent],
  ["DELIVERED", (row) => row.delivered],
  ["READ", (row) => row.read],
  ["FAILED", (row) => row.failed],
  ["CANCELLED", (row) => row.cancelled],
  ["CREATED", (row) => row.created_at],
];

const COUNTERS: Column<CounterCheck>[] = [
  ["COUNTER", (row) => row.counter],
  ["STORED", (row) => row.stored],
  ["COUNTED", (row) => row.actual],
];

const RECIPIENTS: Column<Recipient>[] = [
  ["NUMBER", (row) => row.number],
  ["STATUS", (row) => row.status],
  ["QUEUED", (row) => row.queued_at],
  ["SENT", (row) => row.sent_at],
  ["DELIVERED", (row) => row.delivered_at],
  ["READ", (row) => row.read_at],
  ["FAILED", (row) => row.failed_at],
  ["TRIES", (row) => row.attempts],
  ["CODE", (row) => row.code],
  ["REASON", (row) => row.reason],
  ["OUTCOME", (row) => row.outcome],
  ["SECONDS", (row) => row.duration_s],
];

const PRICES: Column<PricedCount>[] = [
  ["COUNTRY", (row) => row.country],
  ["CATEGORY", (row) => row.category],
  ["TYPE", (row) => row.type],
  ["BILLABLE", (row) => row.billable],
  ["MESSAGES", (row) => row.messages],
  ["ESTIMATED COST", (row) => row.estimated_cost],
];

/**
 * `campaign list | show | check | pricing | cancel | pause | resume | recipients | failures | resend | verify`.
 */
export function addCampaignCommands(program: Command, run: Run): void {
  const campaign = program.command("campaign").description("show and control campaigns");
  addList(campaign, run);
  addShow(campaign, run);
  addCheck(campaign, run);
  addPricing(campaign, run);
  addCancel(campaign, run);
  addPause(campaign, run);
  addResume(campaign, run);
  addRecipients(campaign, run);
  addFailureCommands(campaign, run);
  addVerify(campaign, run);
}

function addList(campaign: Command, run: Run): void {
  campaign.command("list").description("list campaigns, the newest first")
    .option("--company <id>", "only this company's", uuid)
    .option("--limit <n>", "show at most n", wholeNumber(1), 20)
    .action(({ company, limit }: { company?: string; limit: number }) =>
      run(async (session) => {
        const rows = await listCampaigns(session, { companyId: company, limit });
        return {
          json: { campaigns: rows },
          text: renderTable(COLUMNS, rows, "No campaigns yet"),
        };
      })
    )
    .addHelpText("after", '\nExample:\n  deno task admin campaign list --company "$COMPANY" --limit 5');
}

function onOne(campaign: Command, name: string, description: string): Command {
  return campaign.command(name).description(description)
    .argument("<campaign-id>", "the inquiry_set_id that the request returned", uuid)
    .addHelpText("after", `\nExample:\n  deno task admin campaign ${name} "$CAMPAIGN"`);
}

function addShow(campaign: Command, run: Run): void {
  onOne(campaign, "show", "show one campaign with its counters").action((campaignId: string) =>
    run(async (session) => {
      const shown = await showCampaign(session, { campaignId });
      const fields = Object.entries(shown).map(([name, value]): [string, unknown] => [
        name.replaceAll("_", " "),
        value,
      ]);
      return { json: { ...shown }, text: renderFields(fields) };
    })
  );
}

function addCancel(campaign: Command, run: Run): void {
  onOne(campaign, "cancel", "cancel the notifications that were not sent yet").action((campaignId: string) =>
    run(async (session) => {
      const result = await cancelCampaign(session, { campaignId });
      return { json: snakeKeys(result), text: describeStop(result, result.cancelled, "cancelled") };
    })
  );
}

function addPause(campaign: Command, run: Run): void {
  onOne(campaign, "pause", "hold the notifications that were not sent yet, until resume")
    .action((campaignId: string) =>
      run(async (session) => {
        const result = await pauseCampaign(session, { campaignId });
        return { json: snakeKeys(result), text: describeStop(result, result.paused, "paused") };
      })
    );
}

function addResume(campaign: Command, run: Run): void {
  onOne(campaign, "resume", "release the notifications that pause holds").action((campaignId: string) =>
    run(async (session) => {
      const result = await resumeCampaign(session, { campaignId });
      const { paused_detail: pausedDetail } = await showCampaign(session, { campaignId });
      return { json: snakeKeys(result), text: describeResume(result, pausedDetail) };
    })
  );
}

type Controlled = Awaited<ReturnType<typeof resumeCampaign>>;

function describeStop(
  { status, inFlight }: Omit<Controlled, "resumed">,
  count: number,
  done: string,
): string {
  if (count === 0 && inFlight === 0 && hasEnded(status)) {
    return `The campaign is ${status}: nothing was ${done}`;
  }
  const rest = inFlight > 0 ? `; ${inFlight} on their way could not be ${done}` : "";
  return `${notifications(count)} ${done}${rest}`;
}

function describeResume({ status, resumed }: Controlled, pausedDetail: string | null): string {
  if (hasEnded(status)) return `The campaign is ${status}: nothing was resumed`;
  const still = status === "paused"
    ? `; the campaign is still paused: ${pausedDetail ?? "no reason known"}`
    : "";
  return `${notifications(resumed)} resumed${still}`;
}

function hasEnded(status: Controlled["status"]): boolean {
  return status === "completed" || status === "cancelled";
}

function notifications(count: number): string {
  return count === 1 ? "1 notification" : `${count} notifications`;
}

function addRecipients(campaign: Command, run: Run): void {
  onOne(campaign, "recipients", "list the state of each notification")
    .addOption(
      new Option("--status <status>", "only recipients in this state").choices(NOTIFICATION_STATUSES),
    )
    .option("--csv", "print CSV for spreadsheets, as it is read, instead of a table")
    .action((
      campaignId: string,
      { status, csv }: { status?: NotificationStatus; csv?: true },
      command: Command,
    ) =>
      run(async (session) => {
        const { pages, metadataKeys } = await openRecipients(session, { campaignId, status });
        if (csv && !command.optsWithGlobals().json) return { file: recipientsFile(pages, metadataKeys) };
        const recipients = (await Array.fromAsync(pages)).flat().map(describeRecipient);
        return {
          json: { campaign_id: campaignId, recipients },
          text: renderTable(RECIPIENTS, recipients, "No recipients"),
        };
      })
    );
}

function addPricing(campaign: Command, run: Run): void {
  onOne(
    campaign,
    "pricing",
    "show how the platform priced the delivered messages, and an estimate of the cost",
  )
    .action((campaignId: string) =>
      run(async (session) => {
        const cost = await priceCampaign(session, { campaignId });
        const table = renderTable(PRICES, cost.pricing, "The platform has priced no message yet");
        return {
          json: { campaign_id: campaignId, ...cost },
          text: `${table}\n\nEstimated cost: ${describeCost(cost)}`,
        };
      })
    );
}

function addVerify(campaign: Command, run: Run): void {
  onOne(
    campaign,
    "verify",
    "count the notifications and compare them with the counters; exit code 1 if they differ",
  )
    .action((campaignId: string) =>
      run(async (session) => {
        const checked = await verifyCampaign(session, { campaignId });
        const text = renderTable(COUNTERS, checked.counters, "");
        return { json: snakeKeys(checked), text, problem: checked.ok ? undefined : "The counters are wrong" };
      })
    );
}
