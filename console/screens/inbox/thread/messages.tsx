import { useLayoutEffect, useRef } from "preact/hooks";
import type { List } from "../../../data/list.ts";
import type { InboxMessage } from "../../../data/sdk.ts";
import { Button } from "../../../components/button.tsx";
import { describeProblem, ErrorNotice } from "../../../components/error_notice.tsx";
import { RichText } from "../../../components/rich_text.tsx";
import { Time } from "../../../components/time.tsx";
import { moment } from "../../../i18n/format.ts";
import type { ConversationPath, OpenConversation } from "../inbox_data.ts";
import { dropReply, pendingOf, type PendingReply, resendReply } from "./outbox.ts";
import { Typing } from "./typing.tsx";
import { words } from "../../../i18n/words.ts";

/** Nearer to the end than this, the box follows new messages. */
const NEAR_PX = 120;

/** Shows what was written, the newest at the bottom. */
export function Messages({ path, list, conversation }: {
  path: ConversationPath;
  list: List<InboxMessage>;
  conversation: OpenConversation;
}) {
  const rows = (list.rows ?? []).toReversed();
  const pending = pendingOf(path.conversation_id, (id) => rows.some(({ message_id }) => message_id === id));
  const box = useFollowing(`${rows.at(-1)?.message_id} ${pending.length}`);
  const { log, earlier } = words().inbox;
  return (
    <div class="messages" ref={box} role="log" aria-label={log} tabIndex={0}>
      {list.rows === undefined && (list.problem
        ? <ErrorNotice problem={list.problem} onRetry={list.reload} />
        : <p class="loading" role="status">{words().common.loading}</p>)}
      {list.rows && !list.isComplete && <Button kind="quiet" onPress={list.readMore}>{earlier}</Button>}
      <ol>
        {rows.map((message, index) => (
          <Message
            key={message.message_id}
            message={message}
            day={dayOf(message.at) === dayOf(rows[index - 1]?.at) ? undefined : dayOf(message.at)}
          />
        ))}
        {pending.map((reply) => <Pending key={reply.id} reply={reply} path={path} />)}
      </ol>
      {conversation.contact_typing_until && (
        <Typing key={conversation.contact_typing_until} until={conversation.contact_typing_until} />
      )}
    </div>
  );
}

/** Keeps the end in view, unless the person reads further up. */
function useFollowing(end: string) {
  const box = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  useLayoutEffect(() => {
    const element = box.current!;
    if (isAtEnd.current) element.scrollTop = element.scrollHeight;
    const recordScroll = () => {
      isAtEnd.current = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR_PX;
    };
    element.addEventListener("scroll", recordScroll, { passive: true });
    return () => element.removeEventListener("scroll", recordScroll);
  }, [end]);
  return box;
}

function Message({ message, day }: { message: InboxMessage; day: string | undefined }) {
  const { author, kind, text, status, error_reason, at } = message;
  const { authors, messageKinds } = words().inbox;
  return (
    <>
      {day && <li class="day">{day}</li>}
      <li class={`message ${author}`}>
        <span class="unseen">{authors[author]}:</span>
        {kind !== "text" && <small class="message-kind">{messageKinds[kind] ?? kind}</small>}
        {text && (
          <p>
            <RichText text={text} />
          </p>
        )}
        <span class="message-foot">
          <Time at={at} style="clock" />
          {author === "company" && status && (
            <span class={status === "failed" ? "failed" : undefined}>
              {words().common.statuses[status] ?? status}
            </span>
          )}
        </span>
        {error_reason && <p class="error">{error_reason}</p>}
      </li>
    </>
  );
}

function Pending({ reply, path }: { reply: PendingReply; path: ConversationPath }) {
  const { authors, sending, notSent, discard } = words().inbox;
  return (
    <li class="message company pending">
      <span class="unseen">{authors.company}:</span>
      <p>
        <RichText text={reply.text} />
      </p>
      {reply.problem
        ? (
          <div role="alert">
            <p class="error">{notSent} {describeProblem(reply.problem)}</p>
            <Button kind="quiet" icon="again" onPress={() => resendReply(path, reply)}>
              {words().common.retry}
            </Button>
            <Button kind="quiet" onPress={() => dropReply(reply.id)}>{discard}</Button>
          </div>
        )
        : (
          <span class="message-foot">
            <Time at={reply.at} style="clock" />
            <span>{sending}</span>
          </span>
        )}
    </li>
  );
}

function dayOf(at: string | undefined): string | undefined {
  return at && moment(at, { style: "weekday" });
}
