import { changeQuery, route } from "../../data/route.ts";
import { useFollowHistory } from "../../data/live/follow_history.ts";
import { TimeChart } from "../../components/charts/time_chart.tsx";
import { ErrorNotice } from "../../components/error_notice.tsx";
import { Figure, Figures } from "../../components/facts.tsx";
import { Section } from "../../components/page_head.tsx";
import { change, count, money, percent } from "../../i18n/format.ts";
import { type PeriodData, usePeriod } from "./period_data.ts";
import { type Period, periodOf, PERIODS, stepsOf } from "./periods.ts";
import { words } from "../../i18n/words.ts";

/** Shows what happened in the last hours or days, beside the same time before. */
export function PeriodSection() {
  const period = periodOf(route.value.query);
  const { data, problem, reload } = usePeriod(period);
  useFollowHistory(reload);
  const names = words().overview;
  const steps = data && stepsOf(data.rows, period, Date.now());
  const hasAny = steps?.some(({ sent, failed }) => sent + failed > 0);
  const label = names.happened(names.periods[period]);
  return (
    <Section title={names.messages} actions={<PeriodSwitch period={period} />}>
      {problem && <ErrorNotice problem={problem} onRetry={reload} />}
      {data ? <Sums data={data} period={period} /> : <div class="figures loading" aria-hidden="true" />}
      {steps && !hasAny && <p class="panel help">{names.nothingSent}</p>}
      {steps && hasAny && (
        <TimeChart
          key={period}
          label={label}
          step={PERIODS[period].step}
          times={steps.map(({ at }) => at)}
          series={[
            { name: names.sent, tone: "accent", shape: "bars", values: steps.map(({ sent }) => sent) },
            { name: names.failed, tone: "bad", shape: "bars", values: steps.map(({ failed }) => failed) },
          ]}
        />
      )}
    </Section>
  );
}

function PeriodSwitch({ period }: { period: Period }) {
  const names = words().overview;
  return (
    <div class="segments" role="group" aria-label={names.period}>
      {(Object.keys(PERIODS) as Period[]).map((each) => (
        <button
          key={each}
          type="button"
          aria-pressed={each === period}
          onClick={() => changeQuery({ period: each === "24h" ? undefined : each })}
        >
          {names.periods[each]}
        </button>
      ))}
    </div>
  );
}

function Sums({ data: { now, before }, period }: { data: PeriodData; period: Period }) {
  const names = words().overview;
  const than = names.before[period];
  const note = (name: "sent" | "delivered" | "read" | "replied" | "failed") => {
    const by = change(now[name], before[name]);
    return by && <span title={`${than}: ${count(before[name])}`}>{names.change(by)}</span>;
  };
  const share = (part: number, whole: number) =>
    whole > 0 && <small class="figure-share">{percent(part, whole)}</small>;
  return (
    <Figures>
      <Figure name={names.sent} value={count(now.sent)} note={note("sent")} />
      <Figure
        name={names.delivered}
        value={<>{count(now.delivered)} {share(now.delivered, now.sent)}</>}
        note={note("delivered")}
      />
      <Figure
        name={names.read}
        value={<>{count(now.read)} {share(now.read, now.delivered)}</>}
        note={note("read")}
      />
      <Figure name={names.replied} value={count(now.replied)} note={note("replied")} />
      <Figure name={names.failed} value={count(now.failed)} isBad={now.failed > 0} note={note("failed")} />
      <Figure
        name={names.cost}
        value={now.cost ? money(now.cost.amount, now.cost.currency) : "–"}
        note={now.cost === null ? names.noPrices : now.cost.complete ? names.estimate : names.partOfCost}
      />
    </Figures>
  );
}
