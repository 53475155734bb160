import type { Recipient } from "../../data/sdk.ts";
import { Drawer } from "../../parts/dialog.tsx";
import { Fact } from "../../parts/facts.tsx";
import { JsonView } from "../../parts/json_view.tsx";
import { Time } from "../../parts/time.tsx";
import { duration, phone } from "../../words/format.ts";
import { words as shared } from "../../words/words.ts";
import { NotificationFacts } from "./notification_facts.tsx";
import { words } from "./words.ts";

/** All that is known of one recipient. */
export function RecipientDrawer({ recipient, zone, onClose }: {
  recipient: Recipient;
  zone: string | null;
  onClose: () => void;
}) {
  const names = words();
  const { number, user_id, outcome, duration_s, metadata, queued_at, until } = recipient;
  return (
    <Drawer title={number === null ? user_id ?? names.details : phone(number)} onClose={onClose}>
      <NotificationFacts notification={{ ...recipient, accepted_at: queued_at }} zone={zone}>
        <Fact name={names.waitsUntil}>{until && <Time at={until} zone={zone} style="full" />}</Fact>
        <Fact name={names.outcome}>{outcome && shared().statuses[outcome]}</Fact>
        <Fact name={names.lasted}>{duration_s === null ? null : duration(duration_s)}</Fact>
        <Fact name={names.userId}>{number === null ? null : user_id}</Fact>
      </NotificationFacts>
      {recipient.held_for_quality && <p class="notice warn">{names.held}</p>}
      {metadata && <JsonView label={names.metadata} value={metadata} />}
    </Drawer>
  );
}
