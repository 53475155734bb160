import { link } from "../../data/company.ts";
import { changeQuery, route } from "../../data/route.ts";
import type { PersonNotification } from "../../data/sdk.ts";
import { Drawer } from "../../components/dialog/dialog.tsx";
import { Empty } from "../../components/empty.tsx";
import { Fact } from "../../components/facts.tsx";
import { FailureReason } from "../../components/failure_reason.tsx";
import { StatusBadge } from "../../components/status_badge.tsx";
import { type Column, TIME_WIDTH } from "../../components/table/columns.ts";
import { DataTable } from "../../components/table/data_table.tsx";
import { Time } from "../../components/time.tsx";
import { NotificationFacts } from "../campaign/notification_facts.tsx";
import { useAdvice, useSent } from "./person_data.ts";
import { words } from "../../i18n/words.ts";

/** Lists what the person was sent, across campaigns. */
export function Sent({ address }: { address: string }) {
  const list = useSent(address);
  const { notification } = route.value.query;
  const { sent, noneSent, noneSentHelp } = words().contact;
  const shown = notification && list.rows?.find(({ notification_id }) => notification_id === notification);
  return (
    <>
      <DataTable
        label={sent}
        list={list}
        columns={columns()}
        hrefOf={({ notification_id }) =>
          link(["contacts", address], { ...route.value.query, notification: notification_id })}
        empty={<Empty title={noneSent}>{noneSentHelp}</Empty>}
      />
      {shown && <Details notification={shown} onClose={() => changeQuery({ notification: undefined })} />}
    </>
  );
}

function columns(): Column<PersonNotification>[] {
  const { campaign, status, channel, at, reason } = words().contact;
  return [
    { name: "campaign", title: campaign, cell: nameOf },
    { name: "status", title: status, width: "128px", cell: (row) => <StatusBadge status={row.status} /> },
    {
      name: "channel",
      title: channel,
      width: "96px",
      from: "wide",
      cell: (row) => words().common.channels[row.channel],
    },
    { name: "at", title: at, width: TIME_WIDTH, from: "medium", cell: (row) => <Time at={row.queued_at} /> },
    {
      name: "reason",
      title: reason,
      from: "wide",
      cell: ({ code, reason }) => reason && <FailureReason code={code} reason={reason} />,
    },
  ];
}

function nameOf({ campaign_name, template_name }: PersonNotification): string {
  return campaign_name || template_name || words().contact.unnamed;
}

function Details({ notification, onClose }: { notification: PersonNotification; onClose: () => void }) {
  const names = words().contact;
  const { status, channel, template_name, campaign_id, notification_id } = notification;
  return (
    <Drawer title={nameOf(notification)} onClose={onClose}>
      <NotificationFacts
        notification={notification}
        advice={(status === "failed" || status === "skipped") && <Advice notification={notification} />}
      >
        <Fact name={names.channel}>{words().common.channels[channel]}</Fact>
        <Fact name={names.template}>{template_name}</Fact>
        <Fact name={names.campaign}>
          <a href={link(["campaigns", campaign_id])}>{nameOf(notification)}</a>
        </Fact>
        {channel === "voice" && (
          <Fact name={names.call}>
            <a href={link(["calls", notification_id])}>{names.openCall}</a>
          </Fact>
        )}
      </NotificationFacts>
    </Drawer>
  );
}

function Advice({ notification }: { notification: PersonNotification }) {
  const advice = useAdvice(notification);
  return <Fact name={words().contact.whatToDo}>{advice?.what_to_do}</Fact>;
}
