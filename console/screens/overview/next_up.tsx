import { api, ask } from "../../data/client.ts";
import { companyId, isTest, link } from "../../data/company.ts";
import { useLive } from "../../data/live/live.ts";
import { useNow } from "../../data/live/now.ts";
import { useThrottle } from "../../data/live/throttle.ts";
import { type Query, useQuery } from "../../data/query.ts";
import { type InboxConversation, listConversations } from "../../data/sdk.ts";
import { Section } from "../../components/page_head.tsx";
import { Time } from "../../components/time.tsx";
import { count } from "../../i18n/format.ts";
import { useCampaigns } from "../campaigns/campaign_list.ts";
import { nameOf as campaignName } from "../campaigns/columns.tsx";
import { nameOf as personName, waitedSince } from "../inbox/names.ts";
import { words } from "../../i18n/words.ts";

/** More are in their lists. */
const SHOWN = 3;

/** As many as the badge beside the inbox counts. */
const MAX_CHATS = 100;

const READ_MS = 3000;

/** Shows who waits for a reply, and which campaigns leave next. */
export function NextUp() {
  return (
    <div class="halves">
      {!isTest() && <WaitingChats />}
      <Scheduled />
    </div>
  );
}

function useUnanswered(): Query<InboxConversation[]> {
  const company_id = companyId();
  const query = useQuery(`unanswered ${company_id}`, async (signal) => {
    const filters = { state: "unanswered", limit: MAX_CHATS } as const;
    return (await ask(listConversations({ client: api(), path: { company_id }, query: filters, signal })))
      .conversations;
  });
  useLive("conversation", useThrottle(query.reload, READ_MS));
  return query;
}

function WaitingChats() {
  const { data } = useUnanswered();
  const now = useNow();
  const names = words().overview;
  // The list has the last message first: who waits longest is at its end.
  const longest = data?.toReversed().slice(0, SHOWN) ?? [];
  const more = (data?.length ?? 0) - longest.length;
  return (
    <Section title={names.chats} actions={<a href={link(["inbox"])}>{words().screens.inbox}</a>}>
      {data?.length === 0 && <p class="panel help">{names.noChats}</p>}
      {longest.length > 0 && (
        <ul class="lines">
          {longest.map((chat) => (
            <li key={chat.conversation_id}>
              <a href={link(["inbox"], { conversation: chat.conversation_id })}>{personName(chat)}</a>
              <span class="clipped">{chat.last_text}</span>
              <small>{names.waits(waitedSince(chat.last_message_at, now))}</small>
            </li>
          ))}
          {more > 0 && (
            <li>
              <a href={link(["inbox"])}>{names.moreChats(count(more))}</a>
            </li>
          )}
        </ul>
      )}
    </Section>
  );
}

function Scheduled() {
  const { rows } = useCampaigns({ open: "true" });
  const names = words().overview;
  const next = rows?.filter(({ status, scheduled_time }) => status === "scheduled" && scheduled_time !== null)
    .sort((a, b) => Date.parse(a.scheduled_time!) - Date.parse(b.scheduled_time!))
    .slice(0, SHOWN);
  return (
    <Section
      title={names.scheduled}
      actions={<a href={link(["campaigns"], { open: "true" })}>{names.openOnes}</a>}
    >
      {next?.length === 0 && <p class="panel help">{names.noScheduled}</p>}
      {next && next.length > 0 && (
        <ul class="lines">
          {next.map((campaign) => (
            <li key={campaign.campaign_id}>
              <a href={link(["campaigns", campaign.campaign_id])}>{campaignName(campaign)}</a>
              <span>{names.people(campaign.total)}</span>
              <Time at={campaign.scheduled_time} zone={campaign.timezone} style="zoned" />
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}
