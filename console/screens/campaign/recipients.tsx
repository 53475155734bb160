import { link } from "../../data/company.ts";
import { changeQuery, route } from "../../data/route.ts";
import type { CampaignDetails, Recipient } from "../../data/sdk.ts";
import { Button } from "../../components/button.tsx";
import { Empty } from "../../components/empty.tsx";
import { FailureReason } from "../../components/failure_reason.tsx";
import { FilterBar } from "../../components/form/filter_bar.tsx";
import { numberFilter } from "../../components/form/number_filter.ts";
import { StatusBadge } from "../../components/status_badge.tsx";
import type { Column } from "../../components/table/columns.ts";
import { DataTable } from "../../components/table/data_table.tsx";
import { Time } from "../../components/time.tsx";
import { attempt, toast } from "../../components/dialog/toast.tsx";
import { phone } from "../../i18n/format.ts";
import { type CampaignPath, downloadRecipients, useRecipients } from "./campaign_data.ts";
import { RecipientDrawer } from "./recipient_drawer.tsx";
import { words } from "../../i18n/words.ts";

const STATUSES = [
  "scheduled",
  "queued",
  "sending",
  "unconfirmed",
  "sent",
  "delivered",
  "read",
  "failed",
  "cancelled",
  "skipped",
] as const satisfies Recipient["status"][];

/** All recipients of a campaign, found by number, status and code. */
export function Recipients({ campaign, path }: { campaign: CampaignDetails; path: CampaignPath }) {
  const { status, code, number, recipient } = route.value.query;
  const filters = { ...(status && { status }), ...(code && { code }), ...(number && { number }) };
  const list = useRecipients(path, filters);
  const names = words().campaign;
  const isFiltered = Boolean(status || code || number);
  const shown = recipient && list.rows?.find(({ notification_id }) => notification_id === recipient);

  async function save(): Promise<void> {
    await attempt(async () => {
      await downloadRecipients(path, filters);
      toast(names.csvSaved);
    });
  }

  return (
    <>
      <FilterBar
        filters={[
          numberFilter(),
          {
            kind: "choice",
            name: "status",
            label: names.status,
            options: STATUSES.map((each) => [each, words().common.statuses[each]!] as const),
          },
          { kind: "text", name: "code", label: names.code },
        ]}
      >
        <Button icon="download" onPress={save}>{names.csv}</Button>
      </FilterBar>
      <DataTable
        label={names.recipients}
        list={list}
        columns={recipientColumns(campaign)}
        total={isFiltered ? undefined : campaign.total}
        hrefOf={({ notification_id }) =>
          link(["campaigns", path.campaign_id], { ...route.value.query, recipient: notification_id })}
        empty={isFiltered
          ? <Empty title={names.noneLike} />
          : <Empty title={names.noRecipients}>{names.noRecipientsHelp}</Empty>}
      />
      {shown && (
        <RecipientDrawer
          recipient={shown}
          zone={campaign.timezone}
          onClose={() => changeQuery({ recipient: undefined })}
        />
      )}
    </>
  );
}

function recipientColumns({ timezone, channel }: CampaignDetails): Column<Recipient>[] {
  const names = words().campaign;
  const time = (
    name: "sent_at" | "delivered_at" | "read_at",
    title: string,
    from: "medium" | "wide",
  ): Column<Recipient> => ({
    name,
    title,
    from,
    width: "136px",
    cell: (recipient) => <Time at={recipient[name]} zone={timezone} />,
  });
  return [
    {
      name: "number",
      title: words().common.number,
      width: "160px",
      cell: ({ number, user_id }) => number === null ? user_id ?? "–" : phone(number),
    },
    {
      name: "status",
      title: names.status,
      width: "128px",
      cell: ({ status }) => <StatusBadge status={status} />,
    },
    time("sent_at", names.sentAt, "medium"),
    ...(channel === "whatsapp"
      ? [time("delivered_at", names.deliveredAt, "wide"), time("read_at", names.readAt, "wide")]
      : []),
    {
      name: "reason",
      title: names.reason,
      from: "medium",
      cell: ({ code, reason }) => reason && <FailureReason code={code} reason={reason} withCode />,
    },
  ];
}
