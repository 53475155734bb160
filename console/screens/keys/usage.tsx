import { changeQuery, route } from "../../data/route.ts";
import type { UsageOfDay } from "../../data/sdk.ts";
import { Empty } from "../../components/empty.tsx";
import { Figure, Figures } from "../../components/facts.tsx";
import { Select } from "../../components/form/fields.tsx";
import { Section } from "../../components/page_head.tsx";
import type { Column } from "../../components/table/columns.ts";
import { DataTable } from "../../components/table/data_table.tsx";
import { TimeChart } from "../../components/charts/time_chart.tsx";
import { count, moment, percent } from "../../i18n/format.ts";
import { useUsage } from "./key_data.ts";
import { daysOf, today } from "./usage_days.ts";
import { keyWords } from "../../i18n/key_words.ts";

const SPANS = ["30", "7", "14", "35"] as const;

/** How much was sent with the keys, day by day in UTC, against the quota. */
export function UsageSection() {
  const { days: given } = route.value.query;
  const span = SPANS.find((each) => each === given) ?? SPANS[0];
  const days = Number(span);
  const list = useUsage(days);
  const names = keyWords();
  const perDay = daysOf(list.rows ?? [], days);
  return (
    <Section
      title={names.usage}
      actions={
        <Select
          label={names.span}
          hideLabel
          value={span}
          options={SPANS.map((each) => [each, names.lastDays(each)] as const)}
          onChange={(wanted) => changeQuery({ days: wanted })}
        />
      }
    >
      {list.rows && list.rows.length > 0 && <Today rows={list.rows} days={days} />}
      {list.rows && list.rows.length > 0 && (
        <div class="below">
          <TimeChart
            label={names.usage}
            step="day"
            zone="UTC"
            times={perDay.map(({ at }) => at)}
            series={[
              {
                name: names.notifications,
                tone: "accent",
                shape: "bars",
                values: perDay.map(({ notifications }) => notifications),
              },
              { name: names.requests, tone: "warn", values: perDay.map(({ requests }) => requests) },
            ]}
          />
        </div>
      )}
      <div class="below">
        <DataTable
          label={names.perKey}
          list={list}
          columns={usageColumns()}
          empty={<Empty title={names.noUsage}>{names.noUsageHelp}</Empty>}
        />
      </div>
    </Section>
  );
}

function Today({ rows, days }: { rows: UsageOfDay[]; days: number }) {
  const names = keyWords();
  const ofToday = rows.filter(({ day }) => day === today());
  const current = ofToday.find(({ is_current }) => is_current);
  const quota = current?.daily_quota ?? rows.find(({ is_current }) => is_current)?.daily_quota;
  const used = current?.notifications ?? 0;
  const sum = rows.reduce((total, { notifications }) => total + notifications, 0);
  return (
    <Figures>
      <Figure
        name={names.today}
        value={count(used)}
        note={quota === undefined ? undefined : names.ofQuota(percent(used, quota), count(quota))}
        isBad={quota !== undefined && used >= quota}
      />
      {quota !== undefined && <Figure name={names.left} value={count(Math.max(0, quota - used))} />}
      <Figure
        name={names.requestsToday}
        value={count(ofToday.reduce((total, { requests }) => total + requests, 0))}
      />
      <Figure name={names.sum(String(days))} value={count(sum)} />
    </Figures>
  );
}

function usageColumns(): Column<UsageOfDay>[] {
  const names = keyWords();
  return [
    {
      name: "day",
      title: names.day,
      width: "104px",
      cell: ({ day }) => moment(day, { zone: "UTC", style: "day" }),
      sortBy: ({ day }) => day,
    },
    {
      name: "key",
      title: names.key,
      cell: ({ key_id, is_current }) => (
        <>
          {is_current ? names.current : names.rotatedKey}{" "}
          <code class="from-medium" title={key_id}>…{key_id.slice(-6)}</code>
        </>
      ),
    },
    {
      name: "notifications",
      title: names.notifications,
      width: "152px",
      align: "end",
      cell: ({ notifications }) => count(notifications),
      sortBy: ({ notifications }) => notifications,
    },
    {
      name: "requests",
      title: names.requests,
      width: "120px",
      align: "end",
      from: "medium",
      cell: ({ requests }) => count(requests),
      sortBy: ({ requests }) => requests,
    },
    {
      name: "share",
      title: names.share,
      width: "120px",
      align: "end",
      from: "medium",
      cell: ({ notifications, daily_quota }) => percent(notifications, daily_quota),
    },
  ];
}
