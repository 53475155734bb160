import { may } from "../../data/company.ts";
import type { DeliveryAttempt, DeliveryDetails } from "../../data/sdk.ts";
import { Button } from "../../components/button.tsx";
import { Copy } from "../../components/copy.tsx";
import { Drawer } from "../../components/dialog/dialog.tsx";
import { ErrorNotice } from "../../components/error_notice.tsx";
import { Fact, Facts } from "../../components/facts.tsx";
import { JsonView } from "../../components/json_view.tsx";
import { Section } from "../../components/page_head.tsx";
import { StatusBadge } from "../../components/status_badge.tsx";
import { Time } from "../../components/time.tsx";
import { milliseconds } from "../../i18n/format.ts";
import { DeliveryBadge } from "./delivery_badge.tsx";
import { replayOne } from "./replay.tsx";
import type { Target } from "./target.ts";
import { RequestHeaders, ResponseBody } from "./test_webhook.tsx";
import { useDelivery, useFollowUp } from "./webhook_data.ts";
import { webhookWords } from "../../i18n/webhook_words.ts";
import { words } from "../../i18n/words.ts";

/** One event: what was sent, and how the endpoint responded to every attempt. */
export function DeliveryDrawer({ of, eventId, isOn, onReplayed, onClose }: {
  of: Target;
  eventId: string;
  isOn: boolean;
  onReplayed: () => void;
  onClose: () => void;
}) {
  const { data, problem, reload } = useDelivery(of, eventId);
  const follow = useFollowUp(reload);
  const names = webhookWords();

  async function replay(): Promise<void> {
    if (!await replayOne(of, eventId)) return;
    reload();
    follow();
    onReplayed();
  }

  return (
    <Drawer
      title={data?.type ?? names.delivery}
      onClose={onClose}
      actions={data && isOn && may("operator") && (
        <Button kind="main" icon="again" onPress={replay}>{names.replay}</Button>
      )}
    >
      {problem && <ErrorNotice problem={problem} onRetry={reload} />}
      {data
        ? <Details delivery={data} />
        : !problem && <p class="loading" role="status">{words().common.loading}</p>}
    </Drawer>
  );
}

function Details({ delivery }: { delivery: DeliveryDetails }) {
  const names = webhookWords();
  const { event_id, status, attempts, created_at, next_try_at, error, body, tries } = delivery;
  return (
    <>
      <Facts>
        <Fact name={names.state}>
          <DeliveryBadge status={status} attempts={attempts} />
        </Fact>
        <Fact name={names.error}>{error}</Fact>
        <Fact name={names.written}>
          <Time at={created_at} style="full" />
        </Fact>
        <Fact name={names.nextAttempt}>{next_try_at && <Time at={next_try_at} style="full" />}</Fact>
        <Fact name="webhook-id">
          <span class="with-copy">
            <code>{event_id}</code>
            <Copy text={event_id} />
          </span>
        </Fact>
      </Facts>
      <Section title={names.attempts}>
        <ol class="attempts" aria-label={names.attempts}>
          {tries.map((each) => <Attempt key={each.attempt} {...each} />)}
        </ol>
      </Section>
      <Section title={names.body}>
        <JsonView label={names.body} value={JSON.parse(body)} text={body} />
      </Section>
    </>
  );
}

function Attempt(
  { attempt, status, at, request_headers, response_status, response_body, error, duration_ms }:
    DeliveryAttempt,
) {
  const names = webhookWords();
  return (
    <li>
      <p>
        <strong>{names.attemptOf(attempt)}</strong>
        <StatusBadge status={status} />
        {response_status !== null && <code>{response_status}</code>}
        <span class="facts">
          {status === "pending" && `${names.due} `}
          <Time at={at} />
          {duration_ms !== null && ` · ${milliseconds(duration_ms)}`}
        </span>
      </p>
      {error && <p>{error}</p>}
      <RequestHeaders headers={request_headers} />
      <ResponseBody body={response_body} />
    </li>
  );
}
