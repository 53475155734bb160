import { api, ask } from "../../data/client.ts";
import { companyId, link } from "../../data/company.ts";
import { type Sums, sumsByKey } from "../../data/history_sums.ts";
import { useFollowHistory } from "../../data/live/follow_history.ts";
import { useQuery } from "../../data/query.ts";
import { getHistory, type Sender } from "../../data/sdk.ts";
import { Section } from "../../components/page_head.tsx";
import { StatusBadge } from "../../components/status_badge.tsx";
import { PlainTable } from "../../components/table/plain_table.tsx";
import { count, percent, phone } from "../../i18n/format.ts";
import { describeLimit, describeQuality, SenderBadge } from "../senders/describe_sender.tsx";
import { useSenders } from "../senders/sender_list.ts";
import { words } from "../../i18n/words.ts";

const SHOWN = 5;

const DAY_MS = 86_400_000;

/** How the platform sees each number, and how much of a day it has sent. */
export function SenderHealth() {
  const { rows } = useSenders({});
  return rows && rows.length > 0 ? <Numbers rows={rows} /> : null;
}

function Numbers({ rows }: { rows: Sender[] }) {
  const ofDay = useSentOfDay();
  const names = words().overview;
  const sentOf = ({ sender_id }: Sender) => ofDay?.get(sender_id);
  return (
    <Section
      title={names.health}
      actions={<a href={link(["senders"])}>{names.allSenders(count(rows.length))}</a>}
    >
      <PlainTable
        rows={rows.slice(0, SHOWN)}
        keyOf={({ sender_id }) => sender_id}
        columns={[
          {
            title: words().common.number,
            cell: ({ sender_id, number, channel }) => (
              <>
                <a href={link(["senders", sender_id])}>{phone(number)}</a>
                <small>{words().common.channels[channel]}</small>
              </>
            ),
          },
          { title: names.state, cell: (sender) => <SenderBadge sender={sender} /> },
          {
            title: names.quality,
            cell: ({ quality }) =>
              quality === "RED" ? <StatusBadge status="low_quality" /> : describeQuality(quality) ?? "–",
          },
          {
            title: names.limit,
            cell: ({ messaging_limit }) => describeLimit(messaging_limit) ?? "–",
          },
          {
            title: names.sentOfDay,
            align: "end",
            cell: (sender) => count(sentOf(sender)?.sent ?? 0),
          },
          {
            title: names.delivered,
            align: "end",
            cell: (sender) => percent(sentOf(sender)?.delivered ?? 0, sentOf(sender)?.sent ?? 0),
          },
        ]}
      />
    </Section>
  );
}

function useSentOfDay(): Map<string | null, Sums> | undefined {
  const company_id = companyId();
  const { data, reload } = useQuery(`sent of day ${company_id}`, async (signal) => {
    const from = `${new Date(Date.now() - DAY_MS).toISOString().slice(0, 19)}Z`;
    const query = { by: "sender", step: "hour", from } as const;
    const { rows } = await ask(getHistory({ client: api(), path: { company_id }, query, signal }));
    return sumsByKey(rows);
  });
  useFollowHistory(reload);
  return data;
}
