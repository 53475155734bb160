import { api, ask } from "../../data/client.ts";
import { companyId, link, may } from "../../data/company.ts";
import { rotateWebhookSecret, stopWebhook, type Webhook } from "../../data/sdk.ts";
import { Button } from "../../components/button.tsx";
import { confirm } from "../../components/dialog/confirm.tsx";
import { Copy } from "../../components/copy.tsx";
import { Fact, Facts } from "../../components/facts.tsx";
import { StatusBadge } from "../../components/status_badge.tsx";
import { Time } from "../../components/time.tsx";
import { attempt, toast } from "../../components/dialog/toast.tsx";
import { count, moment } from "../../i18n/format.ts";
import { webhookWords } from "../../i18n/webhook_words.ts";

interface EndpointProps {
  webhook: Webhook;
  /** Reads it anew. */
  onDone: () => void;
  onSecret: (secret: string) => void;
}

/** The URL, what goes there, and how it does. */
export function Endpoint({ webhook, onDone, onSecret }: EndpointProps) {
  const names = webhookWords();
  const { url, event_types, is_active, failures, waiting, old_secret_until, created_at } = webhook;
  return (
    <>
      <Trouble webhook={webhook} />
      <div class="panel endpoint">
        <Facts>
          <Fact name={names.url}>
            <span class="with-copy">
              <code>{url}</code>
              <Copy text={url} />
            </span>
          </Fact>
          <Fact name={names.state}>
            <StatusBadge status={is_active ? "active" : "off"} />
          </Fact>
          <Fact name={names.events}>
            {event_types === null
              ? names.allEvents
              : <span class="chips">{event_types.map((each) => <code key={each}>{each}</code>)}</span>}
          </Fact>
          <Fact name={names.waiting}>
            <a href={link(["webhooks"], { status: "pending" })}>{count(waiting)}</a>
          </Fact>
          <Fact name={names.failures}>{count(failures)}</Fact>
          <Fact name={names.oldSecret}>{old_secret_until && <Time at={old_secret_until} />}</Fact>
          <Fact name={names.since}>
            <Time at={created_at} />
          </Fact>
        </Facts>
        {may("operator") && (
          <div class="actions">
            {may("owner") && (
              <Button icon="again" onPress={() => rotate(onDone, onSecret)}>{names.rotate}</Button>
            )}
            {is_active && (
              <Button kind="danger" icon="stop" onPress={() => switchOff(waiting, onDone)}>
                {names.off}
              </Button>
            )}
          </div>
        )}
      </div>
    </>
  );
}

/** Why no event arrives, where there is a reason. */
function Trouble({ webhook: { is_active, stopped_reason, failures, waiting } }: { webhook: Webhook }) {
  const { isOff, isGone, isFailing, showFailed } = webhookWords();
  if (!is_active) {
    return <div class="notice warn" role="status">{stopped_reason ? isGone : isOff}</div>;
  }
  if (failures === 0) return null;
  return (
    <div class="notice bad" role="status">
      <p>
        {isFailing(failures)}{" "}
        <a href={link(["webhooks"], { status: waiting > 0 ? "pending" : "failed" })}>{showFailed}</a>
      </p>
    </div>
  );
}

async function rotate(onDone: () => void, onSecret: (secret: string) => void): Promise<void> {
  const { rotateTitle, rotateText, rotate: action, rotated } = webhookWords();
  if (!await confirm({ title: rotateTitle, text: rotateText, action })) return;
  const path = { company_id: companyId() };
  const done = await attempt(() => ask(rotateWebhookSecret({ client: api(), path })));
  if (done === undefined) return;
  toast(rotated(moment(done.old_secret_until)));
  onSecret(done.secret);
  onDone();
}

async function switchOff(waiting: number, onDone: () => void): Promise<void> {
  const { offTitle, offText, offAction, offDone } = webhookWords();
  const question = { title: offTitle, text: offText(waiting), action: offAction, isDanger: true };
  if (!await confirm(question)) return;
  const path = { company_id: companyId() };
  if (await attempt(() => ask(stopWebhook({ client: api(), path })))) toast(offDone);
  onDone();
}
