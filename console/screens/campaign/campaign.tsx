import { link } from "../../data/company.ts";
import type { CampaignDetails } from "../../data/sdk.ts";
import { ErrorNotice } from "../../components/error_notice.tsx";
import { PageHead } from "../../components/page_head.tsx";
import { StatusBadge } from "../../components/status_badge.tsx";
import { Tabs } from "../../components/tabs.tsx";
import { describeWait } from "../../components/wait.ts";
import { meaningOf } from "../../i18n/codes.ts";
import { phone } from "../../i18n/format.ts";
import { nameOf, StartTime } from "../campaigns/columns.tsx";
import { Actions } from "./actions.tsx";
import { campaignPath, useCampaign } from "./campaign_data.ts";
import { Recipients } from "./recipients.tsx";
import { shownStatus } from "./steps.ts";
import { Summary } from "./summary.tsx";
import { words } from "../../i18n/words.ts";

/** One campaign: how far it came, why some failed, and all its recipients. */
export default function Campaign({ params }: { params: Record<string, string> }) {
  const path = campaignPath(params.campaign_id!);
  const { data: campaign, problem, reload } = useCampaign(path);
  const above = { title: words().campaigns.title, href: link(["campaigns"]) };
  if (campaign === undefined) {
    if (problem) return <ErrorNotice problem={problem} onRetry={reload} />;
    return <p class="loading" role="status">{words().common.loading}</p>;
  }
  const { summary, recipients, views } = words().campaign;
  return (
    <>
      <PageHead
        title={nameOf(campaign)}
        above={above}
        badge={<StatusBadge of="campaign" status={shownStatus(campaign)} />}
        facts={<SentBy campaign={campaign} />}
        actions={<Actions campaign={campaign} path={path} onDone={reload} />}
      />
      {problem && <ErrorNotice problem={problem} onRetry={reload} />}
      <WhyItWaits campaign={campaign} />
      <Tabs
        label={views}
        tabs={[
          { name: "summary", title: summary, content: () => <Summary campaign={campaign} path={path} /> },
          {
            name: "recipients",
            title: recipients,
            content: () => <Recipients campaign={campaign} path={path} />,
          },
        ]}
      />
    </>
  );
}

function SentBy({ campaign }: { campaign: CampaignDetails }) {
  const { campaign_id, status, channel, sender } = campaign;
  const names = words().campaign;
  return (
    <>
      <span>{words().common.channels[channel]} {names.from(phone(sender.number))}</span>
      {channel === "voice" && <a href={link(["calls"], { campaign_id })}>{names.calls}</a>}
      {status === "scheduled" && (
        <span>
          {names.startsAt} <StartTime campaign={campaign} />
        </span>
      )}
    </>
  );
}

/** Why nothing leaves, where there is a reason besides its time. */
function WhyItWaits({ campaign }: { campaign: CampaignDetails }) {
  const reason = whyItWaits(campaign);
  if (reason === null) return null;
  return (
    <div class="notice warn" role="status">
      <p>
        <strong>{words().campaign.whyPaused}:</strong> {reason}
      </p>
    </div>
  );
}

function whyItWaits(
  { status, paused_reason, template, sender, wait, pending }: CampaignDetails,
): string | null {
  const { stopped, templateHolds, pausedByMember } = words().campaign;
  if (paused_reason === "operator") return pausedByMember;
  if (paused_reason === "template_not_approved") {
    return templateHolds(template?.name ?? "", template?.rejected_reason ?? "");
  }
  const isStopped = paused_reason === "sender_stopped" || status === "sending" && sender.status === "stopped";
  if (isStopped) return stopped(meaningOf(sender.stopped_code) ?? sender.stopped_reason ?? "");
  return wait && describeWait(wait, pending);
}
