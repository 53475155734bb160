import { type Command, Option } from "commander";
import {
  NOTIFICATION_STATUSES,
  type NotificationStatus,
} from "../../supabase/functions/_shared/db/recipients.ts";
import type { Recipient } from "../../supabase/functions/_shared/notifications/recipient.ts";
import {
  RECIPIENTS_CSV_HEADER,
  recipientsCsv,
} from "../../supabase/functions/_shared/notifications/recipients_csv.ts";
import type { CampaignRow } from "../actions/campaign_row.ts";
import { cancelCampaign } from "../actions/cancel_campaign.ts";
import { listCampaigns } from "../actions/list_campaigns.ts";
import { listRecipients } from "../actions/list_recipients.ts";
import { pauseCampaign } from "../actions/pause_campaign.ts";
import { resumeCampaign } from "../actions/resume_campaign.ts";
import { showCampaign } from "../actions/show_campaign.ts";
import { type CounterCheck, verifyCampaign } from "../actions/verify_campaign.ts";
import { renderFields } from "../output/render_fields.ts";
import { type Column, renderTable } from "../output/render_table.ts";
import { snakeKeys } from "../output/snake_keys.ts";
import type { Run } from "./answer.ts";
import { uuid } from "./values/uuid.ts";
import { wholeNumber } from "./values/whole_number.ts";

const COLUMNS: Column<CampaignRow>[] = [
  ["CAMPAIGN", (row) => row.campaignId],
  ["NAME", (row) => row.campaignName],
  ["STATUS", (row) => row.status],
  ["TOTAL", (row) => row.total],
  ["PENDING", (row) => row.pending],
  ["PROCESSING", (row) => row.processing],
  ["SENT", (row) => row.sent],
  ["DELIVERED", (row) => row.delivered],
  ["READ", (row) => row.read],
  ["FAILED", (row) => row.failed],
  ["CANCELLED", (row) => row.cancelled],
  ["CREATED", (row) => row.createdAt],
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

/** `campaign list | show | cancel | pause | resume | recipients | verify`. */
export function addCampaignCommands(program: Command, run: Run): void {
  const campaign = program.command("campaign").description("what was accepted for sending");
  addList(campaign, run);
  addShow(campaign, run);
  addCancel(campaign, run);
  addPause(campaign, run);
  addResume(campaign, run);
  addRecipients(campaign, run);
  addVerify(campaign, run);
}

function addList(campaign: Command, run: Run): void {
  campaign.command("list").description("campaigns, the newest first")
    .option("--company <id>", "only of this company", uuid)
    .option("--limit <n>", "how many at most", wholeNumber(1), 20)
    .action(({ company, limit }: { company?: string; limit: number }) =>
      run(async (session) => {
        const rows = await listCampaigns(session, { companyId: company, limit });
        return {
          json: { campaigns: rows.map(snakeKeys) },
          text: renderTable(COLUMNS, rows, "No campaigns yet"),
        };
      })
    )
    .addHelpText("after", '\nExample:\n  deno task admin campaign list --company "$COMPANY" --limit 5');
}

function onOne(campaign: Command, name: string, description: string): Command {
  return campaign.command(name).description(description)
    .argument("<campaign-id>", "the inquiry_set_id its sender was given", uuid)
    .addHelpText("after", `\nExample:\n  deno task admin campaign ${name} "$CAMPAIGN"`);
}

function addShow(campaign: Command, run: Run): void {
  onOne(campaign, "show", "one campaign with its counters").action((campaignId: string) =>
    run(async (session) => {
      const shown = await showCampaign(session, { campaignId });
      const fields = Object.entries(snakeKeys(shown)).map(([name, value]): [string, unknown] => [
        name.replaceAll("_", " "),
        value,
      ]);
      return { json: snakeKeys(shown), text: renderFields(fields) };
    })
  );
}

function addCancel(campaign: Command, run: Run): void {
  onOne(campaign, "cancel", "stop what has not left yet").action((campaignId: string) =>
    run(async (session) => {
      const result = await cancelCampaign(session, { campaignId });
      const text = `${result.cancelled} notifications cancelled${onTheirWay(result, "stopped")}`;
      return { json: snakeKeys(result), text };
    })
  );
}

function addPause(campaign: Command, run: Run): void {
  onOne(campaign, "pause", "hold what has not left yet, until resume").action((campaignId: string) =>
    run(async (session) => {
      const result = await pauseCampaign(session, { campaignId });
      const text = `${result.paused} notifications paused${onTheirWay(result, "held")}`;
      return { json: snakeKeys(result), text };
    })
  );
}

function addResume(campaign: Command, run: Run): void {
  onOne(campaign, "resume", "let go what pause holds").action((campaignId: string) =>
    run(async (session) => {
      const result = await resumeCampaign(session, { campaignId });
      return { json: snakeKeys(result), text: `${result.resumed} notifications resumed` };
    })
  );
}

function onTheirWay({ inFlight }: { inFlight: number }, could: string): string {
  return inFlight > 0 ? `; ${inFlight} on their way could not be ${could}` : "";
}

function addRecipients(campaign: Command, run: Run): void {
  onOne(campaign, "recipients", "what became of each notification")
    .addOption(new Option("--status <status>", "only those in this state").choices(NOTIFICATION_STATUSES))
    .option("--csv", "a file for spreadsheets instead of a table")
    .action((campaignId: string, { status, csv }: { status?: NotificationStatus; csv?: true }) =>
      run(async (session) => {
        const recipients = await listRecipients(session, { campaignId, status });
        const text = csv
          ? `${RECIPIENTS_CSV_HEADER}${recipientsCsv(recipients)}`.trimEnd()
          : renderTable(RECIPIENTS, recipients, "No recipients");
        return { json: { campaign_id: campaignId, recipients }, text };
      })
    );
}

function addVerify(campaign: Command, run: Run): void {
  onOne(
    campaign,
    "verify",
    "count its notifications and compare with its counters; exit code 1 if they differ",
  )
    .action((campaignId: string) =>
      run(async (session) => {
        const checked = await verifyCampaign(session, { campaignId });
        const text = renderTable(COUNTERS, checked.counters, "");
        return { json: snakeKeys(checked), text, problem: checked.ok ? undefined : "The counters are wrong" };
      })
    );
}
