import { useState } from "preact/hooks";
import { link, may } from "../../data/company.ts";
import type { List } from "../../data/list.ts";
import { changeQuery, route } from "../../data/route.ts";
import type { Delivery } from "../../data/sdk.ts";
import { Button } from "../../components/button.tsx";
import { Empty } from "../../components/empty.tsx";
import { FilterBar } from "../../components/form/filter_bar.tsx";
import { Section } from "../../components/page_head.tsx";
import type { Column } from "../../components/table/columns.ts";
import { DataTable } from "../../components/table/data_table.tsx";
import { timeColumn } from "../../components/table/time_column.tsx";
import { count } from "../../i18n/format.ts";
import { DeliveryBadge } from "./delivery_badge.tsx";
import { DeliveryDrawer } from "./delivery_drawer.tsx";
import { ReplayForm } from "./replay.tsx";
import { pathOf, type Target } from "./target.ts";
import { EVENT_TYPES, SPANS, TEST_EVENT } from "./webhook_data.ts";
import { webhookWords } from "../../i18n/webhook_words.ts";
import { words } from "../../i18n/words.ts";

const STATUSES = ["succeeded", "pending", "failed"] as const;

/** Every event for the company's server, with the state of its delivery. */
export function Deliveries({ of, list, isOn, onReplayed }: {
  of: Target;
  list: List<Delivery>;
  /** Whether the webhook is on: only then can something be replayed. */
  isOn: boolean;
  onReplayed: () => void;
}) {
  const [isReplaying, setReplaying] = useState(false);
  const names = webhookWords();
  const { status, type, since, delivery } = route.value.query;
  const isFiltered = Boolean(status || type || since);
  return (
    <Section title={names.deliveries}>
      <FilterBar
        filters={[
          {
            kind: "choice",
            name: "status",
            label: names.state,
            options: STATUSES.map((each) => [each, words().common.statuses[each]!] as const),
          },
          {
            kind: "choice",
            name: "type",
            label: names.type,
            options: [...EVENT_TYPES, TEST_EVENT].map((each) => [each, each] as const),
          },
          {
            kind: "choice",
            name: "since",
            label: names.span,
            options: Object.keys(SPANS).map((each) =>
              [each, names.spans[each as keyof typeof SPANS]] as const
            ),
          },
        ]}
      >
        {may("operator") && isOn && (
          <Button icon="again" onPress={() => setReplaying(true)}>{names.replayFailed}</Button>
        )}
      </FilterBar>
      <DataTable
        label={names.deliveries}
        list={list}
        columns={deliveryColumns()}
        hrefOf={({ event_id }) => link(pathOf(of), { ...route.value.query, delivery: event_id })}
        empty={isFiltered
          ? <Empty title={names.noneLike} />
          : <Empty title={names.noDeliveries}>{names.noDeliveriesHelp}</Empty>}
      />
      {delivery && (
        <DeliveryDrawer
          key={delivery}
          of={of}
          eventId={delivery}
          isOn={isOn}
          onReplayed={onReplayed}
          onClose={() => changeQuery({ delivery: undefined })}
        />
      )}
      {isReplaying && <ReplayForm of={of} onClose={() => setReplaying(false)} onReplayed={onReplayed} />}
    </Section>
  );
}

function deliveryColumns(): Column<Delivery>[] {
  const names = webhookWords();
  return [
    { name: "type", title: names.event, cell: ({ type }) => type, sortBy: ({ type }) => type },
    {
      name: "status",
      title: names.state,
      width: "128px",
      cell: (delivery) => <DeliveryBadge {...delivery} />,
    },
    {
      name: "code",
      title: names.code,
      width: "104px",
      align: "end",
      from: "medium",
      cell: ({ response_status }) => response_status ?? "–",
      sortBy: ({ response_status }) => response_status ?? 0,
    },
    {
      name: "error",
      title: names.error,
      from: "wide",
      cell: ({ error }) => error && <span title={error}>{error}</span>,
    },
    {
      name: "tries",
      title: names.attempts,
      width: "96px",
      align: "end",
      from: "medium",
      cell: ({ attempts }) => count(attempts),
      sortBy: ({ attempts }) => attempts,
    },
    timeColumn("next", names.nextAttempt, ({ next_try_at }) => next_try_at, { from: "full" }),
    timeColumn("created", names.written, ({ created_at }) => created_at, { sorts: true }),
  ];
}
