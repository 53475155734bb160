import { link, may } from "../../data/company.ts";
import type { Webhook } from "../../data/sdk.ts";
import { Button } from "../../components/button.tsx";
import { confirm } from "../../components/dialog/confirm.tsx";
import { Copy } from "../../components/copy.tsx";
import { Fact, Facts } from "../../components/facts.tsx";
import { StatusBadge } from "../../components/status_badge.tsx";
import { Time } from "../../components/time.tsx";
import { attempt, toast } from "../../components/dialog/toast.tsx";
import { count, moment } from "../../i18n/format.ts";
import { SenderNumbers } from "../senders/sender_numbers.tsx";
import { pathOf, rotateSecret, stop, type Target } from "./target.ts";
import { webhookWords } from "../../i18n/webhook_words.ts";
import { words } from "../../i18n/words.ts";

interface EndpointProps {
  webhook: Webhook;
  of: Target;
  /** Reads it anew. */
  onDone: () => void;
  onSecret: (secret: string) => void;
  /** Ends it for good; of the company's own, there is nothing of the kind. */
  onRemove?: (() => unknown) | undefined;
}

/** The URL, what goes there, and how it does. */
export function Endpoint({ webhook, of, onDone, onSecret, onRemove }: EndpointProps) {
  const names = webhookWords();
  const { url, event_types, channels, is_active, failures, waiting, old_secret_until, created_at } = webhook;
  return (
    <>
      <Trouble webhook={webhook} of={of} />
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
          <Fact name={names.channels}>
            {channels?.map((each) => words().common.channels[each]).join(", ")}
          </Fact>
          <Fact name={names.senders}>{webhook.sender_ids && <SenderNumbers ids={webhook.sender_ids} />}</Fact>
          <Fact name={names.waiting}>
            <a href={link(pathOf(of), { status: "pending" })}>{count(waiting)}</a>
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
              <Button icon="again" onPress={() => rotate(of, onDone, onSecret)}>{names.rotate}</Button>
            )}
            {is_active && (
              <Button kind="danger" icon="stop" onPress={() => switchOff(of, waiting, onDone)}>
                {names.off}
              </Button>
            )}
            {onRemove && may("owner") && <Button kind="danger" onPress={onRemove}>{names.remove}</Button>}
          </div>
        )}
      </div>
    </>
  );
}

/** Why no event arrives, where there is a reason. */
function Trouble(
  { webhook: { is_active, stopped_reason, failures, waiting }, of }: { webhook: Webhook; of: Target },
) {
  const { isOff, isGone, isFailing, showFailed } = webhookWords();
  if (!is_active) {
    return <div class="notice warn" role="status">{stopped_reason ? isGone : isOff}</div>;
  }
  if (failures === 0) return null;
  return (
    <div class="notice bad" role="status">
      <p>
        {isFailing(failures)}{" "}
        <a href={link(pathOf(of), { status: waiting > 0 ? "pending" : "failed" })}>{showFailed}</a>
      </p>
    </div>
  );
}

async function rotate(
  of: Target,
  onDone: () => void,
  onSecret: (secret: string) => void,
): Promise<void> {
  const { rotateTitle, rotateText, rotate: action, rotated } = webhookWords();
  if (!await confirm({ title: rotateTitle, text: rotateText, action })) return;
  const done = await attempt(() => rotateSecret(of));
  if (done === undefined) return;
  toast(rotated(moment(done.old_secret_until)));
  onSecret(done.secret);
  onDone();
}

async function switchOff(of: Target, waiting: number, onDone: () => void): Promise<void> {
  const { offTitle, offText, offAction, offDone } = webhookWords();
  const question = { title: offTitle, text: offText(waiting), action: offAction, isDanger: true };
  if (!await confirm(question)) return;
  if (await attempt(() => stop(of))) toast(offDone);
  onDone();
}
