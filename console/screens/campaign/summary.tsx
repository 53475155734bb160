import { useMemo } from "preact/hooks";
import { link } from "../../data/company.ts";
import type { CampaignDetails } from "../../data/sdk.ts";
import { type Bucket, Throughput } from "../../data/live/throughput.ts";
import { useThroughput } from "../../data/live/use_throughput.ts";
import { Figure, Figures } from "../../components/facts.tsx";
import { Funnel } from "../../components/charts/funnel.tsx";
import { Section } from "../../components/page_head.tsx";
import { TimeChart } from "../../components/charts/time_chart.tsx";
import { count, duration } from "../../i18n/format.ts";
import type { CampaignPath } from "./campaign_data.ts";
import { FailureTable } from "./failure_table.tsx";
import { paceOf } from "./pace.ts";
import { words } from "../../i18n/words.ts";

/** Funnel, rate and failures. Every number leads to the recipients that it counts. */
export function Summary({ campaign, path }: { campaign: CampaignDetails; path: CampaignPath }) {
  const throughput = useMemo(() => new Throughput(), [path.campaign_id]);
  const buckets = useThroughput(throughput, [campaign], path.campaign_id);
  const names = words().campaign;
  const toRecipients = (status: string) =>
    link(["campaigns", path.campaign_id], { tab: "recipients", status });
  const hasActivity = campaign.status === "sending" || buckets.some(({ sent, failed }) => sent + failed > 0);
  const isMessage = campaign.channel === "whatsapp";

  return (
    <>
      <Pace campaign={campaign} buckets={buckets} />
      <Section title={names.funnel}>
        <Funnel
          label={names.funnel}
          ofBefore={names.ofBefore}
          steps={[
            {
              name: names.accepted,
              value: campaign.total,
              href: link(["campaigns", path.campaign_id], { tab: "recipients" }),
            },
            { name: names.sent, value: campaign.sent, href: toRecipients("sent") },
            ...(isMessage
              ? [
                { name: names.delivered, value: campaign.delivered, href: toRecipients("delivered") },
                { name: names.read, value: campaign.read, href: toRecipients("read") },
                { name: names.replied, value: campaign.replied },
              ]
              : []),
          ]}
        />
      </Section>
      {hasActivity && (
        <Section title={names.chart}>
          <TimeChart
            label={names.chart}
            times={buckets.map(({ at }) => at)}
            series={[
              { name: names.sent, tone: "accent", values: buckets.map(({ sent }) => sent) },
              { name: names.failed, tone: "bad", values: buckets.map(({ failed }) => failed) },
            ]}
          />
        </Section>
      )}
      <FailureTable path={path} />
    </>
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
