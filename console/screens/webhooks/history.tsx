import type { WebhookHour } from "../../data/sdk.ts";
import { Section } from "../../components/page_head.tsx";
import { PlainTable } from "../../components/table/plain_table.tsx";
import { Progress } from "../../components/charts/progress.tsx";
import { count, moment, percent } from "../../i18n/format.ts";
import { daysOfHistory } from "./history_days.ts";
import { webhookWords } from "../../i18n/webhook_words.ts";

/** How many tries of the last week succeeded, day by day; nothing where there were none. */
export function History({ hours }: { hours: WebhookHour[] }) {
  const names = webhookWords();
  if (hours.length === 0) return null;
  const days = daysOfHistory(hours);
  const [succeeded, attempts] = days.reduce(
    ([fine, all], day) => [fine + day.succeeded, all + day.succeeded + day.failed],
    [0, 0],
  );
  return (
    <Section title={names.history}>
      <p class="help">{names.succeededOf(percent(succeeded, attempts), attempts)}</p>
      <PlainTable
        rows={days}
        keyOf={({ day }) => day}
        columns={[
          { title: names.day, cell: ({ at }) => moment(at, { style: "weekday" }) },
          { title: names.succeeded, align: "end", cell: (day) => count(day.succeeded) },
          { title: names.failed, align: "end", cell: (day) => count(day.failed) },
          {
            title: names.share,
            cell: ({ succeeded, failed }) => (
              <Progress
                label={names.failed}
                done={succeeded + failed}
                bad={failed}
                whole={succeeded + failed}
              />
            ),
          },
        ]}
      />
    </Section>
  );
}
