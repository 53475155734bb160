import type { Command } from "commander";
import type { ResentCampaign } from "../../supabase/functions/_shared/campaigns/resends/resend_request.ts";
import { startProgress } from "../terminal/progress.ts";
import type { Run } from "../session.ts";
import { uuid } from "../terminal/values.ts";
import { listFailures, resendCampaign } from "./resend.ts";

interface Flags {
  code?: string[];
  name?: string;
  at?: string;
  timezone?: string;
}

/** Adds `campaign resend`: the quota of the key does not limit an operator. */
export function addResend(campaign: Command, run: Run): void {
  campaign.command("resend")
    .description(
      "make a new campaign of those who failed for a reason that can pass, or with the given codes",
    )
    .argument("<campaign-id>", "the inquiry_set_id that the request returned", uuid)
    .option("--code <code>", "only those who failed with this code; repeatable", addCode)
    .option("--name <name>", "the name of the new campaign; left out: the same name")
    .option("--at <time>", "when to send, YYYY-MM-DDTHH:MM:SS; left out: at once")
    .option("--timezone <zone>", "of --at, an IANA name such as Europe/Madrid; left out: UTC")
    .action((campaignId: string, { code, name, at, timezone }: Flags) =>
      run(async (session) => {
        const { failures } = await listFailures(session, { campaignId });
        const most = failures.reduce((total, { count, resent }) => total + count - resent, 0);
        const progress = startProgress();
        const resent = await resendCampaign(session, {
          campaignId,
          codes: code ?? null,
          name: name ?? null,
          at: at ?? null,
          timezone: timezone ?? null,
          onStep: (made) => progress.update(made, most, "resending"),
        }).finally(() => progress.stop());
        return { json: { ...resent }, text: describeResent(resent) };
      })
    )
    .addHelpText(
      "after",
      '\nExamples:\n  deno task admin campaign resend "$CAMPAIGN"\n' +
        '  deno task admin campaign resend "$CAMPAIGN" --code 131049 --code expired --name "Second attempt" \\\n' +
        "    --at 2099-02-01T09:00:00 --timezone Europe/Madrid",
    );
}

function addCode(code: string, codes: string[] = []): string[] {
  return [...codes, code];
}

function describeResent({ message, inquiry_set_id, processed, errors }: ResentCampaign): string {
  const refused = errors.map(({ count, reason }) => `${count} left out: ${reason}`);
  const made = inquiry_set_id === null
    ? message
    : `${processed} ${
      processed === 1 ? "notification" : "notifications"
    } resent as campaign ${inquiry_set_id}`;
  return [made, ...refused].join("\n");
}
