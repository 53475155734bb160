import type { Recipient } from "../../data/sdk.ts";
import { Drawer } from "../../components/dialog/dialog.tsx";
import { Fact } from "../../components/facts.tsx";
import { JsonView } from "../../components/json_view.tsx";
import { Time } from "../../components/time.tsx";
import { duration, phone } from "../../i18n/format.ts";
import { NotificationFacts } from "./notification_facts.tsx";
import { words } from "../../i18n/words.ts";

/** All that is known of one recipient. */
export function RecipientDrawer({ recipient, zone, onClose }: {
  recipient: Recipient;
  zone: string | null;
  onClose: () => void;
}) {
  const names = words().campaign;
  const { number, user_id, outcome, duration_s, metadata, until } = recipient;
  return (
    <Drawer title={number === null ? user_id ?? names.details : phone(number)} onClose={onClose}>
      <NotificationFacts notification={recipient} zone={zone}>
        <Fact name={names.waitsUntil}>{until && <Time at={until} zone={zone} style="full" />}</Fact>
        <Fact name={names.outcome}>{outcome && words().common.statuses[outcome]}</Fact>
        <Fact name={names.lasted}>{duration_s === null ? null : duration(duration_s)}</Fact>
        <Fact name={names.userId}>{number === null ? null : user_id}</Fact>
      </NotificationFacts>
      {recipient.held_for_quality && <p class="notice warn">{names.held}</p>}
      {metadata && <JsonView label={names.metadata} value={metadata} />}
    </Drawer>
  );
}
