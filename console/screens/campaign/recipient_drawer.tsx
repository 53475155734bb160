import type { Recipient } from "../../data/sdk.ts";
import { Copy } from "../../parts/copy.tsx";
import { Drawer } from "../../parts/dialog.tsx";
import { FailureFacts } from "../../parts/failure_reason.tsx";
import { Fact, Facts } from "../../parts/facts.tsx";
import { JsonView } from "../../parts/json_view.tsx";
import { StatusBadge } from "../../parts/status_badge.tsx";
import { Time } from "../../parts/time.tsx";
import { duration, phone } from "../../words/format.ts";
import { words } from "./words.ts";

/** All that is known of one recipient. */
export function RecipientDrawer({ recipient, zone, onClose }: {
  recipient: Recipient;
  zone: string | null;
  onClose: () => void;
}) {
  const names = words();
  const { number, user_id, status, reason, code, attempts, outcome, duration_s, metadata, notification_id } =
    recipient;
  const time = (at: string | null) => at && <Time at={at} zone={zone} style="full" />;
  return (
    <Drawer title={number === null ? user_id ?? names.details : phone(number)} onClose={onClose}>
      <Facts>
        <Fact name={names.status}>
          <StatusBadge status={status} />
        </Fact>
        <Fact name={names.reasonOf}>{reason && <FailureFacts code={code} reason={reason} />}</Fact>
        <Fact name={names.queuedAt}>{time(recipient.queued_at)}</Fact>
        <Fact name={names.sentAt}>{time(recipient.sent_at)}</Fact>
        <Fact name={names.deliveredAt}>{time(recipient.delivered_at)}</Fact>
        <Fact name={names.readAt}>{time(recipient.read_at)}</Fact>
        <Fact name={names.repliedAt}>{time(recipient.replied_at)}</Fact>
        <Fact name={names.failedAt}>{time(recipient.failed_at)}</Fact>
        <Fact name={names.skippedAt}>{time(recipient.skipped_at)}</Fact>
        <Fact name={names.attempts}>{attempts}</Fact>
        <Fact name={names.outcome}>{outcome}</Fact>
        <Fact name={names.lasted}>{duration_s === null ? null : duration(duration_s)}</Fact>
        <Fact name={names.userId}>{number === null ? null : user_id}</Fact>
        <Fact name={names.notification}>
          <span class="with-copy">
            <code>{notification_id}</code>
            <Copy text={notification_id} />
          </span>
        </Fact>
      </Facts>
      {recipient.held_for_quality && <p class="notice warn">{names.held}</p>}
      {metadata && <JsonView label={names.metadata} value={metadata} />}
    </Drawer>
  );
}
