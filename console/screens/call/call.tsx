import { api, ask } from "../../data/client.ts";
import { companyId, link } from "../../data/company.ts";
import { useLive } from "../../data/live/live.ts";
import { useQuery } from "../../data/query.ts";
import { type CallDetails, getCall } from "../../data/sdk.ts";
import { ButtonLink } from "../../components/button.tsx";
import { Copy } from "../../components/copy.tsx";
import { Empty } from "../../components/empty.tsx";
import { ErrorNotice } from "../../components/error_notice.tsx";
import { FailureFacts } from "../../components/failure_reason.tsx";
import { Fact, Facts } from "../../components/facts.tsx";
import { PageHead, Section } from "../../components/page_head.tsx";
import { Time } from "../../components/time.tsx";
import { duration, phone } from "../../i18n/format.ts";
import { CallBadge } from "../calls/columns.tsx";
import { Recording } from "./recording.tsx";
import { words } from "../../i18n/words.ts";

/** One call: how it went, and what was said. */
export default function CallScreen({ params }: { params: Record<string, string> }) {
  const path = { company_id: companyId(), notification_id: params.notification_id! };
  const { data: call, problem, reload } = useQuery(
    `call ${path.notification_id}`,
    (signal) => ask(getCall({ client: api(), path, signal })),
  );
  // The transcript comes after the call, without being in the event.
  useLive("call", ({ notification_id }) => notification_id === path.notification_id && reload());
  if (call === undefined) {
    if (problem) return <ErrorNotice problem={problem} onRetry={reload} />;
    return <p class="loading" role="status">{words().common.loading}</p>;
  }
  const names = words().call;
  return (
    <>
      <PageHead
        title={call.number === null ? names.erased : phone(call.number)}
        above={{ title: words().calls.title, href: link(["calls"]) }}
        badge={<CallBadge call={call} />}
        actions={call.number && (
          <ButtonLink href={link(["contacts", call.number])}>{names.history}</ButtonLink>
        )}
      />
      {problem && <ErrorNotice problem={problem} onRetry={reload} />}
      <div class="call-page">
        <div>
          {call.summary && (
            <Section title={names.summary}>
              <p>{call.summary}</p>
            </Section>
          )}
          <Section title={names.recording}>
            <Recording key={call.notification_id} call={call} />
          </Section>
          <Section title={names.transcript}>
            <Transcript call={call} />
          </Section>
        </div>
        <Section title={names.facts}>
          <CallFacts call={call} />
        </Section>
      </div>
    </>
  );
}

function CallFacts({ call }: { call: CallDetails }) {
  const names = words().call;
  const { agent, campaign, started, lasted, reason } = words().calls;
  return (
    <Facts>
      <Fact name={reason}>{call.reason && <FailureFacts code={call.code} reason={call.reason} />}</Fact>
      <Fact name={started}>
        <Time at={call.started_at} style="full" />
      </Fact>
      <Fact name={names.ended}>{call.ended_at && <Time at={call.ended_at} style="full" />}</Fact>
      <Fact name={lasted}>{call.duration_s === null ? null : duration(call.duration_s)}</Fact>
      <Fact name={agent}>{call.agent?.name}</Fact>
      <Fact name={names.from}>{phone(call.sender_number)}</Fact>
      <Fact name={campaign}>
        <a href={link(["campaigns", call.campaign_id])}>{call.campaign_name || call.campaign_id}</a>
      </Fact>
      <Fact name={names.attempts}>{call.attempts}</Fact>
      <Fact name={names.conversation}>
        {call.conversation_id && (
          <span class="with-copy">
            <code>{call.conversation_id}</code>
            <Copy text={call.conversation_id} />
          </span>
        )}
      </Fact>
    </Facts>
  );
}

function Transcript({ call: { transcript, ongoing, agent } }: { call: CallDetails }) {
  const names = words().call;
  if (!transcript?.length) {
    return <Empty title={names.noTranscript}>{ongoing ? names.later : names.noTranscriptHelp}</Empty>;
  }
  return (
    <ol class="transcript" aria-label={names.transcript}>
      {transcript.map(({ role, message, at_s }, index) => (
        <li key={index} class={`message ${role === "agent" ? "company" : "contact"}`}>
          <span class="message-foot">
            <strong>{role === "agent" ? agent?.name ?? names.agent : names.person}</strong>
            <span>{clock(at_s)}</span>
          </span>
          <p>{message}</p>
        </li>
      ))}
    </ol>
  );
}

/** `1:05`, as players show it. */
function clock(seconds: number): string {
  const whole = Math.floor(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}
