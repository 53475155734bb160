import type { ComponentChildren } from "preact";
import type { Recipient } from "../../data/sdk.ts";
import { Copy } from "../../components/copy.tsx";
import { FailureFacts } from "../../components/failure_reason.tsx";
import { Fact, Facts } from "../../components/facts.tsx";
import { StatusBadge } from "../../components/status_badge.tsx";
import { Time } from "../../components/time.tsx";
import { words } from "../../i18n/words.ts";

/** Shows what became of a notification, why, and when. */
export function NotificationFacts({ notification, zone, advice, children }: {
  notification: Omit<Recipient, "name">;
  /** The campaign's time zone, where it has one. */
  zone?: string | null;
  /** Explains what to do about the reason. */
  advice?: ComponentChildren;
  /** Further facts. */
  children: ComponentChildren;
}) {
  const names = words().campaign;
  const { status, reason, code, attempts, notification_id } = notification;
  const time = (at: string | null) => at && <Time at={at} zone={zone} style="full" />;
  return (
    <Facts>
      <Fact name={names.status}>
        <StatusBadge status={status} />
      </Fact>
      <Fact name={names.reason}>{reason && <FailureFacts code={code} reason={reason} />}</Fact>
      {advice}
      <Fact name={names.acceptedAt}>{time(notification.queued_at)}</Fact>
      <Fact name={names.sentAt}>{time(notification.sent_at)}</Fact>
      <Fact name={names.deliveredAt}>{time(notification.delivered_at)}</Fact>
      <Fact name={names.readAt}>{time(notification.read_at)}</Fact>
      <Fact name={names.repliedAt}>{time(notification.replied_at)}</Fact>
      <Fact name={names.failedAt}>{time(notification.failed_at)}</Fact>
      <Fact name={names.skippedAt}>{time(notification.skipped_at)}</Fact>
      <Fact name={names.attempts}>{attempts}</Fact>
      {children}
      <Fact name={names.notification}>
        <span class="with-copy">
          <code>{notification_id}</code>
          <Copy text={notification_id} />
        </span>
      </Fact>
    </Facts>
  );
}
