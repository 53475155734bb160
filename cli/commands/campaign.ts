import type { Command } from "commander";
import type { CampaignRow } from "../actions/campaign_row.ts";
import { cancelCampaign } from "../actions/cancel_campaign.ts";
import { listCampaigns } from "../actions/list_campaigns.ts";
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

/** `campaign list | show | cancel | verify`. */
export function addCampaignCommands(program: Command, run: Run): void {
  const campaign = program.command("campaign").description("what was accepted for sending");
  addList(campaign, run);
  addShow(campaign, run);
  addCancel(campaign, run);
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
      const late = result.inFlight > 0 ? `; ${result.inFlight} on their way could not be stopped` : "";
      return { json: snakeKeys(result), text: `${result.cancelled} notifications cancelled${late}` };
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
