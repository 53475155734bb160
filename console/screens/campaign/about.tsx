import type { ComponentChildren } from "preact";
import { link } from "../../data/company.ts";
import type { CampaignDetails, Upload } from "../../data/sdk.ts";
import { useNow } from "../../data/live/now.ts";
import { Fact, Facts } from "../../components/facts.tsx";
import { Section } from "../../components/page_head.tsx";
import { Time } from "../../components/time.tsx";
import { count, country, duration, phone } from "../../i18n/format.ts";
import { useCountries, useOrigin, usePricing } from "./about_data.ts";
import type { CampaignPath } from "./campaign_data.ts";
import { words } from "../../i18n/words.ts";

const MAX_COUNTRIES = 4;

/** When, by whom, to whom and for how much. */
export function About({ campaign, path }: { campaign: CampaignDetails; path: CampaignPath }) {
  const names = words().campaign;
  const { sender, template, agent, timezone, resend_of, created_at, scheduled_time, started_at } = campaign;
  const time = (at: string | null) => at && <Time at={at} zone={timezone} style="zoned" />;
  return (
    <Section title={names.about}>
      <Facts>
        <Fact name={names.planned}>{time(scheduled_time)}</Fact>
        <Fact name={names.startedAt}>{time(started_at)}</Fact>
        <Fact name={names.endedAt}>{time(campaign.completed_at ?? campaign.cancelled_at)}</Fact>
        <Took campaign={campaign} />
        <Fact name={names.made}>
          {time(created_at)} {names.by(authorName(campaign.created_by))}
        </Fact>
        <Fact name={names.resendOf}>
          {resend_of && (
            <a href={link(["campaigns", resend_of.campaign_id])}>
              {resend_of.campaign_name || words().campaigns.unnamed}
            </a>
          )}
        </Fact>
        <People campaign={campaign} path={path} />
        <Fact name={names.sender}>
          <a href={link(["senders", sender.sender_id])}>{phone(sender.number)}</a>
        </Fact>
        <Fact name={names.templateName}>
          {template && (
            <a href={link(["templates", template.template_id])}>{template.name} ({template.language})</a>
          )}
        </Fact>
        <Fact name={names.agentName}>{agent?.name}</Fact>
        <Cost campaign={campaign} path={path} />
      </Facts>
    </Section>
  );
}

function Took({ campaign: { started_at, completed_at, cancelled_at } }: { campaign: CampaignDetails }) {
  const now = useNow();
  if (started_at === null) return null;
  const end = completed_at ?? cancelled_at;
  const seconds = ((end === null ? now : Date.parse(end)) - Date.parse(started_at)) / 1000;
  return <Fact name={words().campaign.took}>{duration(Math.max(1, seconds))}</Fact>;
}

/** Where the recipients come from, and in which countries they are. */
function People({ campaign, path }: { campaign: CampaignDetails; path: CampaignPath }) {
  const names = words().campaign;
  const { data: origin } = useOrigin(path, campaign.upload_id);
  const countries = useCountries(path, campaign.created_at);
  const shown = countries.slice(0, MAX_COUNTRIES).map(([code, people]) =>
    `${country(code)} ${count(people)}`
  );
  const others = countries.length - shown.length;
  return (
    <>
      <Fact name={names.to}>
        {toWhom(campaign, origin)}
      </Fact>
      <Fact name={names.countries}>
        {shown.length > 0 && [...shown, ...(others > 0 ? [names.moreCountries(others)] : [])].join(", ")}
      </Fact>
    </>
  );
}

function toWhom({ resend_of, upload_id }: CampaignDetails, origin: Upload | undefined): ComponentChildren {
  const names = words().campaign;
  if (resend_of) return names.toFailed;
  if (upload_id === null) return names.toRequest;
  if (origin === undefined) return undefined;
  const { audience, file_name, list_name, accepted, rows } = origin;
  const name = file_name ?? list_name;
  if (name !== null) return names.peopleOf(accepted, name);
  return audience ? names.condition : names.file(rows);
}

function Cost({ campaign, path }: { campaign: CampaignDetails; path: CampaignPath }) {
  const pricing = usePricing(path, campaign.channel);
  const names = words().campaign;
  if (pricing === undefined) return null;
  const { estimated_cost: cost, estimated_cost_code: code } = pricing;
  if (cost === null) return <Fact name={names.cost}>{names.noCost}</Fact>;
  return (
    <Fact name={names.cost}>
      {names.costAbout(`${cost.amount} ${cost.currency}`)}
      {code === "incomplete" && <small>{names.costIncomplete}</small>}
    </Fact>
  );
}

function authorName({ kind, name, user_id }: CampaignDetails["created_by"]): string {
  const { byMember, byKey, byService } = words().campaign;
  if (kind === "member") return name ?? `${byMember} …${user_id?.slice(-6)}`;
  return kind === "key" ? byKey : byService;
}
