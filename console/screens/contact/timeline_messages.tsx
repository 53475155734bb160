import { link } from "../../data/company.ts";
import type {
  RenderedMessage,
  TimelineAttempt,
  TimelineChat,
  TimelineMessage,
  TimelineNotification,
} from "../../data/sdk.ts";
import { mediaOf } from "../../components/media/media_file.ts";
import { MediaView } from "../../components/media/media_view.tsx";
import { FailureReason } from "../../components/failure_reason.tsx";
import { RichText } from "../../components/rich_text.tsx";
import { StatusBadge } from "../../components/status_badge.tsx";
import { Time } from "../../components/time.tsx";
import { duration } from "../../i18n/format.ts";
import { shortAddress } from "../inbox/names.ts";
import { words } from "../../i18n/words.ts";

/** A message as the person saw it, or a call with its outcome; with every try. */
export function Notification({ id, notification }: { id: string; notification: TimelineNotification }) {
  const {
    campaign_id,
    campaign_name,
    template_name,
    channel,
    status,
    code,
    reason,
    rendered,
    call,
    attempts,
  } = notification;
  const names = words().contact;
  return (
    <>
      <p class="history-head">
        <a href={link(["campaigns", campaign_id])}>{campaign_name || template_name || names.unnamed}</a>
        <StatusBadge status={call?.outcome ?? status} />
      </p>
      {rendered && <Rendered message={rendered} />}
      {!rendered && channel !== "voice" && <p class="help">{names.notRendered}</p>}
      {call && (
        <p class="help">
          {call.duration_s !== null && `${duration(call.duration_s)}. `}
          {call.summary} <a href={link(["calls", id])}>{names.openCall}</a>
        </p>
      )}
      {reason && (
        <p class="error">
          <FailureReason code={code} reason={reason} />
        </p>
      )}
      {attempts.length > 0 && <Attempts attempts={attempts} notification={notification} />}
    </>
  );
}

function Attempts(
  { attempts, notification }: { attempts: TimelineAttempt[]; notification: TimelineNotification },
) {
  const names = words().campaign;
  const times = ["sent_at", "delivered_at", "read_at", "replied_at"] as const;
  const titles = {
    sent_at: names.sentAt,
    delivered_at: names.deliveredAt,
    read_at: names.readAt,
    replied_at: names.repliedAt,
  };
  return (
    <details class="help">
      <summary>{words().contact.tries(attempts.length)}</summary>
      <ul class="plain-list">
        {times.map((name) =>
          notification[name] && (
            <li key={name}>
              {titles[name]} <Time at={notification[name]} style="full" />
            </li>
          )
        )}
        {attempts.map(({ started_at, code, reason }, index) => (
          <li key={index}>
            {words().contact.try(index + 1)} <Time at={started_at} style="full" />
            {reason && (
              <>
                : <FailureReason code={code} reason={reason} />
              </>
            )}
          </li>
        ))}
      </ul>
    </details>
  );
}

function Rendered({ message: { header, body, footer, buttons } }: { message: RenderedMessage }) {
  return (
    <div class="said out">
      {header?.text && (
        <p>
          <strong>{header.text}</strong>
        </p>
      )}
      {header && !header.text && <p class="help">{words().media.kinds[header.format.toLowerCase()]}</p>}
      <p>
        <RichText text={body} />
      </p>
      {footer && <p class="help">{footer}</p>}
      {buttons.length > 0 && (
        <p class="tags">{buttons.map(({ text }) => <span key={text} class="badge">{text}</span>)}</p>
      )}
    </div>
  );
}

/** A message of the person, or a reply. */
export function Message({ id, message }: { id: string; message: TimelineMessage }) {
  const { direction, text, message_kind: kind, content, status, code, reason } = message;
  const names = words().contact;
  const { kinds } = words().media;
  const file = mediaOf({ message_id: id, kind, content }, direction === "in");
  return (
    <>
      <p class="history-head">
        {direction === "in" ? names.wrote : names.replied}
        {direction === "out" && <StatusBadge status={status} />}
      </p>
      <div class={`said ${direction}`}>
        {file && <MediaView file={file} />}
        {text && (
          <p>
            <RichText text={text} />
          </p>
        )}
        {!file && !text && <p>{kinds[kind] ?? kinds.other}</p>}
      </div>
      {reason && (
        <p class="error">
          <FailureReason code={code} reason={reason} />
        </p>
      )}
    </>
  );
}

/** A conversation on the website. */
export function Chat({ chat: { messages, page_url, status }, href }: { chat: TimelineChat; href: string }) {
  const names = words().contact;
  return (
    <>
      <p class="history-head">
        <a href={href}>{names.chatted}</a>
        <StatusBadge status={status} />
      </p>
      <p class="help">
        {names.chatMessages(messages)}
        {page_url && <>· {shortAddress(page_url)}</>}
      </p>
    </>
  );
}
