import type { Command } from "commander";
import type { CounterCheck } from "../../supabase/functions/_shared/db/campaigns/campaigns.ts";
import { type Column, renderTable, snakeKeys } from "../terminal/render.ts";
import type { Run } from "../session.ts";
import { uuid } from "../terminal/values.ts";
import { verifyCampaign } from "./actions.ts";

const COUNTERS: Column<CounterCheck>[] = [
  ["COUNTER", (row) => row.counter],
  ["STORED", (row) => row.stored],
  ["COUNTED", (row) => row.actual],
];

/** `campaign verify`. */
export function addCampaignCommands(program: Command, run: Run): void {
  const campaign = program.command("campaign").description("check the counters of campaigns");
  campaign.command("verify")
    .description("count the notifications and compare them with the counters; exit code 1 if they differ")
    .argument("<campaign-id>", "the inquiry_set_id that the request returned", uuid)
    .addHelpText("after", '\nExample:\n  deno task admin campaign verify "$CAMPAIGN"')
    .action((campaignId: string) =>
      run(async (session) => {
        const checked = await verifyCampaign(session, { campaignId });
        const text = renderTable(COUNTERS, checked.counters, "");
        return { json: snakeKeys(checked), text, problem: checked.ok ? undefined : "The counters are wrong" };
      })
    );
}
