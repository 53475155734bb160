import type { Recipient } from "../../data/sdk.ts";
import { useQuery } from "../../data/query.ts";
import { messageOfRendered } from "../../data/template_message.ts";
import { Drawer } from "../../components/dialog/dialog.tsx";
import { Fact } from "../../components/facts.tsx";
import { PhonePreview } from "../../components/phone_preview.tsx";
import { JsonView } from "../../components/json_view.tsx";
import { Time } from "../../components/time.tsx";
import { duration, phone } from "../../i18n/format.ts";
import { readRecipient } from "./about_data.ts";
import type { CampaignPath } from "./campaign_data.ts";
import { NotificationFacts } from "./notification_facts.tsx";
import { words } from "../../i18n/words.ts";

/** All that is known of one recipient. */
export function RecipientDrawer({ recipient, path, zone, onClose }: {
  recipient: Recipient;
  path: CampaignPath;
  zone: string | null;
  onClose: () => void;
}) {
  const names = words().campaign;
  const { number, user_id, name, outcome, duration_s, metadata, until, notification_id } = recipient;
  const { data } = useQuery(
    `recipient ${notification_id}`,
    (signal) => readRecipient(path, notification_id, signal),
  );
  return (
    <Drawer title={number === null ? user_id ?? names.details : phone(number)} onClose={onClose}>
      <NotificationFacts notification={recipient} zone={zone}>
        <Fact name={names.name}>{name}</Fact>
        <Fact name={names.waitsUntil}>{until && <Time at={until} zone={zone} style="full" />}</Fact>
        <Fact name={names.outcome}>{outcome && words().common.statuses[outcome]}</Fact>
        <Fact name={names.lasted}>{duration_s === null ? null : duration(duration_s)}</Fact>
        <Fact name={names.userId}>{number === null ? null : user_id}</Fact>
      </NotificationFacts>
      {recipient.held_for_quality && <p class="notice warn">{names.held}</p>}
      {data?.rendered && <PhonePreview label={names.message} message={messageOfRendered(data.rendered)} />}
      {metadata && <JsonView label={names.metadata} value={metadata} />}
    </Drawer>
  );
}
