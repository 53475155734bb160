import { link } from "../../data/company.ts";
import type { TimelineEntry } from "../../data/sdk.ts";
import { Button } from "../../components/button.tsx";
import { Empty } from "../../components/empty.tsx";
import { ErrorNotice } from "../../components/error_notice.tsx";
import { Icon, type IconName } from "../../components/icon.tsx";
import { Time } from "../../components/time.tsx";
import { type ActorName, useActorNames } from "../audit/actor_names.ts";
import { Change, Consent, OptOut } from "./timeline_changes.tsx";
import { Chat, Message, Notification } from "./timeline_messages.tsx";
import { useTimeline } from "./contact_data.ts";
import { daysOf, onceEach } from "./timeline_days.ts";
import { words } from "../../i18n/words.ts";

const ICONS: Record<TimelineEntry["kind"], IconName> = {
  notification: "send",
  message: "chat",
  chat: "bubble",
  opt_out: "stop",
  consent: "plus",
  change: "user",
};

/** All that happened with a person, day by day, the newest first. */
export function Timeline({ contactId }: { contactId: string }) {
  const list = useTimeline(contactId);
  const actorName = useActorNames();
  const names = words().contact;
  if (list.rows === undefined) {
    if (list.problem) return <ErrorNotice problem={list.problem} onRetry={list.reload} />;
    return <p class="loading" role="status">{words().common.loading}</p>;
  }
  if (list.rows.length === 0) return <Empty title={names.noneHappened}>{names.noneHappenedHelp}</Empty>;
  return (
    <>
      {daysOf(onceEach(list.rows)).map(({ day, entries }) => (
        <section key={day} class="history-day">
          <h3>{day}</h3>
          <ol class="history">
            {entries.map((entry) => (
              <li key={list.idOf(entry)} class={`history-${entry.kind}`}>
                <Icon name={iconOf(entry)} />
                <div>
                  <Entry entry={entry} actorName={actorName} />
                </div>
                <Time at={entry.at} style="clock" />
              </li>
            ))}
          </ol>
        </section>
      ))}
      {list.problem && <ErrorNotice problem={list.problem} onRetry={list.reload} />}
      {!list.isComplete && (
        <div class="form-actions">
          <Button disabled={list.isReading} onPress={list.readMore}>{names.earlier}</Button>
        </div>
      )}
    </>
  );
}

function iconOf({ kind, notification }: TimelineEntry): IconName {
  return notification?.channel === "voice" ? "call" : ICONS[kind];
}

function Entry({ entry, actorName }: { entry: TimelineEntry; actorName: ActorName }) {
  const { notification, message, chat, opt_out, consent, change } = entry;
  if (notification) return <Notification id={entry.id} notification={notification} />;
  if (message) return <Message id={entry.id} message={message} />;
  if (chat) return <Chat chat={chat} href={link(["inbox"], { conversation: chat.conversation_id })} />;
  if (opt_out) return <OptOut optOut={opt_out} />;
  if (consent) return <Consent consent={consent} />;
  return change ? <Change change={change} actorName={actorName} /> : null;
}
