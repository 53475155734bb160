import { Fragment } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { List } from "../../../data/list.ts";
import type { ConversationNote, InboxMessage, WrittenBy } from "../../../data/sdk.ts";
import { authorName } from "../../../components/author.ts";
import { AuthorAvatar } from "../../../components/member_avatar.tsx";
import { Button } from "../../../components/button.tsx";
import { ErrorNotice } from "../../../components/error_notice.tsx";
import { Icon } from "../../../components/icon.tsx";
import { LinkedText } from "../../../components/linked_text.tsx";
import { Time } from "../../../components/time.tsx";
import { moment } from "../../../i18n/format.ts";
import { type ConversationPath, type OpenConversation, useAssignees } from "../inbox_data.ts";
import { entriesOf, type Entry } from "./entries.ts";
import { Message } from "./message.tsx";
import { pendingOf } from "./outbox.ts";
import { Pending } from "./pending.tsx";
import { Typing } from "./typing.tsx";
import { words } from "../../../i18n/words.ts";

/** Nearer to the end than this, the box follows new messages. */
const NEAR_PX = 120;

/** Shows what was written and noted, the newest at the bottom. */
export function Messages({ path, list, notes, conversation, onReply }: {
  path: ConversationPath;
  list: List<InboxMessage>;
  notes: List<ConversationNote>;
  conversation: OpenConversation;
  onReply: ((message: InboxMessage) => void) | undefined;
}) {
  const rows = list.rows ?? [];
  const entries = entriesOf(rows, notes.rows ?? [], list.isComplete);
  const pending = pendingOf(path.conversation_id, (id) => rows.some(({ message_id }) => message_id === id));
  const box = useFollowing(`${entries.at(-1)?.id} ${pending.length}`);
  const assignees = useAssignees();
  const pictureOf = (author: WrittenBy | null) =>
    assignees?.find(({ user_id }) => user_id === author?.user_id)?.picture_url;
  const { log, earlier } = words().inbox;
  return (
    <div class="messages" ref={box} role="log" aria-label={log} tabIndex={0}>
      {list.rows === undefined && (list.problem
        ? <ErrorNotice problem={list.problem} onRetry={list.reload} />
        : <p class="loading" role="status">{words().common.loading}</p>)}
      {list.rows && !list.isComplete && <Button kind="quiet" onPress={list.readMore}>{earlier}</Button>}
      <ol>
        {entries.map((entry, index) => {
          const before = entries[index - 1];
          const isNewDay = dayOf(entry.at) !== dayOf(before?.at);
          return (
            <Fragment key={entry.id}>
              {isNewDay && <li class="day">{dayOf(entry.at)}</li>}
              {entry.kind === "note"
                ? <Note note={entry.note} pictureUrl={pictureOf(entry.note.written_by)} />
                : (
                  <Message
                    message={entry.message}
                    isChat={conversation.kind === "chat"}
                    pictureUrl={pictureOf(entry.message.written_by)}
                    showsAuthor={isNewDay || writerOf(before) !== writerOf(entry)}
                    onReply={onReply}
                  />
                )}
            </Fragment>
          );
        })}
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
  useLayoutEffect(() => {
    // The field below grows with what is written.
    const resized = new ResizeObserver(([entry]) => {
      if (isAtEnd.current) entry!.target.scrollTop = entry!.target.scrollHeight;
    });
    resized.observe(box.current!);
    return () => resized.disconnect();
  }, []);
  return box;
}

/** A note of a member for members: its colour, its sign and its words set it apart. */
function Note({ note: { text, written_by, created_at }, pictureUrl }: {
  note: ConversationNote;
  pictureUrl: string | null | undefined;
}) {
  return (
    <li class="message note">
      <span class="message-by">
        <Icon name="note" />
        <AuthorAvatar author={written_by} pictureUrl={pictureUrl} />
        {words().inbox.noteBy(authorName(written_by))}
      </span>
      <p>
        <LinkedText text={text} isChat />
      </p>
      <span class="message-foot">
        <Time at={created_at} style="clock" />
      </span>
    </li>
  );
}

function writerOf(entry: Entry | undefined): string | undefined {
  if (entry?.kind !== "message") return undefined;
  const { author, written_by } = entry.message;
  return `${author} ${written_by?.kind} ${written_by?.user_id}`;
}

function dayOf(at: string | undefined): string | undefined {
  return at && moment(at, { style: "weekday" });
}
