import { api, ask } from "../../data/client.ts";
import { companyId, link, may } from "../../data/company.ts";
import { useLive } from "../../data/live/live.ts";
import { useQuery } from "../../data/query.ts";
import { getOverview, type Overview as OverviewData } from "../../data/sdk.ts";
import { useThrottle } from "../../data/live/throttle.ts";
import { Throughput } from "../../data/live/throughput.ts";
import { useThroughput } from "../../data/live/use_throughput.ts";
import { ButtonLink } from "../../components/button.tsx";
import { Empty } from "../../components/empty.tsx";
import { ErrorNotice } from "../../components/error_notice.tsx";
import { Figure, Figures } from "../../components/facts.tsx";
import { PageHead, Section } from "../../components/page_head.tsx";
import { StatusBadge } from "../../components/status_badge.tsx";
import { DataTable } from "../../components/table/data_table.tsx";
import { TimeChart } from "../../components/charts/time_chart.tsx";
import { describeWait } from "../../components/wait.ts";
import { meaningOf } from "../../i18n/codes.ts";
import { count, duration, phone } from "../../i18n/format.ts";
import { useCampaigns } from "../campaigns/campaign_list.ts";
import { campaignColumns } from "../campaigns/columns.tsx";
import { Failures } from "./failures.tsx";
import { words } from "../../i18n/words.ts";

const LATEST = 10;

/** Events come every second while a campaign runs; the sums of a whole company need not. */
const READ_MS = 5000;

/** Goes on counting while other screens are shown. */
const throughputs = new Map<string, Throughput>();

function throughputOf(companyId: string): Throughput {
  const throughput = throughputs.get(companyId) ?? new Throughput();
  throughputs.set(companyId, throughput);
  return throughput;
}

/** Shows what is going on, what is wrong, and what to do next. */
export default function Overview() {
  const company_id = companyId();
  const { data, problem, reload } = useQuery(
    `overview ${company_id}`,
    (signal) => ask(getOverview({ client: api(), path: { company_id }, signal })),
  );
  const readAgain = useThrottle(reload, READ_MS);
  for (const kind of ["campaign", "sender", "call", "delivery"] as const) useLive(kind, readAgain);
  const campaigns = useCampaigns({}, LATEST);
  const throughput = throughputOf(company_id);
  const buckets = useThroughput(throughput, campaigns.rows);
  const { title, rate, rateHelp, done, failed, running, allCampaigns } = words().overview;
  const hasNothing = campaigns.rows?.length === 0;

  return (
    <>
      <PageHead title={title} />
      {problem && <ErrorNotice problem={problem} onRetry={reload} />}
      <Now overview={data} />
      {data && <Trouble overview={data} />}
      {hasNothing ? <FirstSteps /> : (
        <>
          <Section title={rate} actions={<span class="facts">{rateHelp}</span>}>
            <TimeChart
              label={rate}
              times={buckets.map(({ at }) => at)}
              series={[
                { name: done, tone: "accent", values: buckets.map(({ sent }) => sent) },
                { name: failed, tone: "bad", values: buckets.map((bucket) => bucket.failed) },
              ]}
            />
          </Section>
          <Section title={running} actions={<a href={link(["campaigns"])}>{allCampaigns}</a>}>
            <DataTable
              label={running}
              list={{ ...campaigns, rows: campaigns.rows?.slice(0, LATEST), isComplete: true }}
              columns={campaignColumns()}
              hrefOf={({ campaign_id }) => link(["campaigns", campaign_id])}
              empty={null}
            />
          </Section>
          <Failures campaigns={campaigns.rows ?? []} />
        </>
      )}
    </>
  );
}

/** The figures of this moment. */
function Now({ overview }: { overview: OverviewData | undefined }) {
  const names = words().overview;
  if (overview === undefined) return <div class="figures loading" aria-hidden="true" />;
  const { campaigns: { sending, paused, scheduled }, waiting, wait, oldest_wait_s } = overview;
  const { accepted_today, ongoing_calls } = overview;
  const troubled = overview.senders_in_trouble.length;
  return (
    <Figures>
      <Figure
        name={names.open}
        value={count(sending + paused + scheduled)}
        note={names.openNote(paused, scheduled)}
        href={link(["campaigns"], { open: "true" })}
      />
      <Figure
        name={names.waiting}
        value={count(waiting)}
        note={oldest_wait_s !== null
          ? names.waitingNote(duration(oldest_wait_s))
          : wait
          ? undefined
          : names.noWait}
      />
      <Figure name={names.today} value={count(accepted_today)} note={names.todayNote} />
      <Figure name={names.calls} value={count(ongoing_calls)} />
      <Figure
        name={names.senders}
        value={count(troubled)}
        isBad={troubled > 0}
        note={troubled === 0 ? names.noTrouble : undefined}
        href={link(["senders"])}
      />
      <WebhookFigure webhook={overview.webhook} />
    </Figures>
  );
}

/** Whether the company's own system receives its events. */
function WebhookFigure({ webhook }: Pick<OverviewData, "webhook">) {
  const names = words().overview;
  const href = link(["webhooks"]);
  if (webhook === null) {
    return <Figure name={names.webhook} value={names.noWebhook} note={names.noWebhookNote} href={href} />;
  }
  const { state, failures, reason } = webhook;
  const notes = {
    working: names.webhookWorks,
    failing: names.webhookFailures(count(failures)),
    stopped: reason === null ? names.webhookStopped : names.webhookGone,
  };
  return (
    <Figure
      name={names.webhook}
      value={names.webhookStates[state]}
      note={notes[state]}
      href={href}
      isBad={state !== "working"}
    />
  );
}

/** Senders, rules and templates that keep messages from leaving. */
function Trouble(
  { overview: { senders_in_trouble, campaigns, wait, put_off } }: { overview: OverviewData },
) {
  const names = words().overview;
  const waiting = campaigns.held_by_template;
  if (senders_in_trouble.length === 0 && waiting === 0 && !wait) return null;
  return (
    <Section title={names.trouble}>
      <ul class="lines">
        {senders_in_trouble.map(({ sender_id, number, trouble, code, reason }) => (
          <li key={sender_id}>
            <StatusBadge status={trouble} />
            <a href={link(["senders", sender_id])}>{phone(number)}</a>
            <span>{trouble === "unreachable" ? names.unreachable : meaningOf(code) ?? reason}</span>
          </li>
        ))}
        {wait && (
          <li>
            <StatusBadge status="waiting" />
            <a href={link(["campaigns"], { open: "true" })}>{describeWait(wait, put_off)}</a>
          </li>
        )}
        {waiting > 0 && (
          <li>
            <StatusBadge status="paused" />
            <a href={link(["templates"])}>{names.templatesWait(count(waiting))}</a>
          </li>
        )}
      </ul>
    </Section>
  );
}

function FirstSteps() {
  const { first, firstHelp, steps, newCampaign } = words().overview;
  return (
    <Empty
      title={first}
      action={
        <>
          <ol>{steps.map((step) => <li key={step}>{step}</li>)}</ol>
          {may("operator") && <ButtonLink kind="main" href={link(["compose"])}>{newCampaign}</ButtonLink>}
        </>
      }
    >
      {firstHelp}
    </Empty>
  );
}
