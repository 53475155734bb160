import { useMemo } from "preact/hooks";
import { link } from "../../data/company.ts";
import type { CampaignDetails } from "../../data/sdk.ts";
import { type Bucket, minutesOf, Throughput } from "../../data/live/throughput.ts";
import { useThroughput } from "../../data/live/use_throughput.ts";
import { Button } from "../../components/button.tsx";
import { Figure, Figures } from "../../components/facts.tsx";
import { Funnel } from "../../components/charts/funnel.tsx";
import { Section } from "../../components/page_head.tsx";
import { TimeChart } from "../../components/charts/time_chart.tsx";
import { attempt, toast } from "../../components/dialog/toast.tsx";
import { count, duration } from "../../i18n/format.ts";
import { About } from "./about.tsx";
import { type CampaignPath, downloadRecipients, useFailures } from "./campaign_data.ts";
import { FailureTable } from "./failure_table.tsx";
import { Message } from "./message.tsx";
import { paceOf } from "./pace.ts";
import { stepsOf } from "./steps.ts";
import { words } from "../../i18n/words.ts";

/** Funnel, rate, failures and facts. Every number leads to the recipients that it counts. */
export function Summary({ campaign, path }: { campaign: CampaignDetails; path: CampaignPath }) {
  const throughput = useMemo(() => new Throughput(), [path.campaign_id]);
  const buckets = useThroughput(throughput, [campaign], path.campaign_id);
  const failures = useFailures(path).data?.failures ?? [];
  const names = words().campaign;
  const minutes = minutesOf(buckets);
  const hasActivity = campaign.status === "sending" || buckets.some(({ sent, failed }) => sent + failed > 0);
  return (
    <div class="beside">
      <div>
        <Pace campaign={campaign} buckets={buckets} />
        <Section title={names.funnel} actions={<Report path={path} />}>
          <Funnel
            label={names.funnel}
            shareOf={names.ofBefore}
            steps={stepsOf(campaign, failures).map(({ recipients, ...step }) => ({
              ...step,
              href: recipients && link(["campaigns", path.campaign_id], { tab: "recipients", ...recipients }),
            }))}
          />
          <p class="help">{campaign.channel === "voice" ? names.sharesOfCalls : names.sharesOfSent}</p>
        </Section>
        {hasActivity && (
          <Section title={names.chart}>
            <TimeChart
              label={names.chart}
              step="minute"
              times={minutes.map(({ at }) => at)}
              series={[
                { name: names.sent, tone: "accent", shape: "bars", values: minutes.map(({ sent }) => sent) },
                {
                  name: names.failed,
                  tone: "bad",
                  shape: "bars",
                  values: minutes.map(({ failed }) => failed),
                },
              ]}
            />
          </Section>
        )}
        <FailureTable campaign={campaign} path={path} />
        <About campaign={campaign} path={path} />
      </div>
      <aside>
        <Message campaign={campaign} path={path} />
      </aside>
    </div>
  );
}

/** The campaign as a file, and on paper. */
function Report({ path }: { path: CampaignPath }) {
  const names = words().campaign;
  return (
    <div class="actions">
      <Button
        kind="quiet"
        icon="download"
        onPress={() =>
          attempt(async () => {
            await downloadRecipients(path, {});
            toast(names.csvSaved);
          })}
      >
        {names.report}
      </Button>
      <Button kind="quiet" onPress={() => globalThis.print()}>{names.print}</Button>
    </div>
  );
}

function Pace({ campaign, buckets }: { campaign: CampaignDetails; buckets: Bucket[] }) {
  const names = words().campaign;
  const { pending, processing, failed, skipped, cancelled, rejected, status } = campaign;
  const isSending = status === "sending";
  const pace = isSending ? paceOf(campaign, buckets) : undefined;
  const to = (status: string) => link(["campaigns", campaign.campaign_id], { tab: "recipients", status });
  return (
    <Figures>
      <Figure name={names.waiting} value={count(pending + processing)} href={to("queued")} />
      <Figure name={names.failed} value={count(failed)} isBad={failed > 0} href={to("failed")} />
      {skipped > 0 && <Figure name={names.skipped} value={count(skipped)} href={to("skipped")} />}
      {cancelled > 0 && (
        <Figure
          name={names.cancelledCount}
          value={count(cancelled)}
          href={to("cancelled")}
        />
      )}
      {rejected > 0 && <Figure name={names.refused} value={count(rejected)} note={names.refusedNote} />}
      {pace && (
        <>
          <Figure
            name={names.rate}
            value={count(Math.round(pace.perMinute))}
            note={pace.isMean ? names.rateMean : names.rateNote}
          />
          <Figure
            name={names.left}
            value={pace.secondsLeft === null ? "–" : duration(pace.secondsLeft)}
            note={names.leftNote}
          />
        </>
      )}
    </Figures>
  );
}
