import { useRef, useState } from "preact/hooks";
import { companyId, link, may } from "../../../data/company.ts";
import { route } from "../../../data/route.ts";
import type { InboxConversation, InboxMessage } from "../../../data/sdk.ts";
import { ErrorNotice } from "../../../components/error_notice.tsx";
import { Icon } from "../../../components/icon.tsx";
import { AssignSelect, CloseButton } from "./conversation_actions.tsx";
import { Composer, type Mode } from "./composer.tsx";
import { DetailsPane } from "../person/details_pane.tsx";
import { useConversation, useMarkRead, useMessages, useNotes } from "../inbox_data.ts";
import { Messages } from "./messages.tsx";
import { nameOf, numberBeside } from "../names.ts";
import { useThreadKeys } from "./thread_keys.ts";
import { words } from "../../../i18n/words.ts";

/** One conversation, and the person that it is with. */
export function ThreadPane({ conversationId }: { conversationId: string }) {
  const path = { company_id: companyId(), conversation_id: conversationId };
  const { data: conversation, problem, reload } = useConversation(path);
  const messages = useMessages(path, conversation);
  const notes = useNotes(path);
  useMarkRead(path, conversation, messages.rows?.[0]);
  const [mode, setMode] = useState<Mode>("reply");
  const [replyTo, setReplyTo] = useState<InboxMessage>();
  const pane = useRef<HTMLElement>(null);
  useThreadKeys(conversation, (next) => {
    setMode(next);
    // The field for a note takes the focus itself.
    requestAnimationFrame(() => pane.current?.querySelector<HTMLElement>(".reply-area textarea")?.focus());
  });
  if (conversation === undefined) {
    return (
      <div class="pane thread-pane">
        <Back />
        {problem
          ? <ErrorNotice problem={problem} onRetry={reload} />
          : <p class="loading" role="status">{words().common.loading}</p>}
      </div>
    );
  }
  const name = nameOf(conversation);
  return (
    <>
      <section ref={pane} class="pane thread-pane" aria-label={name}>
        <ThreadHead conversation={conversation} name={name} />
        <Messages
          {...{ path, list: messages, notes, conversation }}
          onReply={conversation.kind === "chat" ? undefined : (message) => {
            setMode("reply");
            setReplyTo(message);
          }}
        />
        <Composer
          {...{ path, conversation, mode, replyTo }}
          onMode={setMode}
          onReplyTo={setReplyTo}
          onSent={messages.reload}
          onNoted={notes.reload}
        />
      </section>
      <DetailsPane conversation={conversation} onChange={reload} />
    </>
  );
}

function ThreadHead({ conversation, name }: { conversation: InboxConversation; name: string }) {
  const { details } = words().inbox;
  const { query } = route.value;
  return (
    <header class="thread-head">
      <Back />
      <div class="thread-title">
        <h2>{name}</h2>
        {numberBeside(conversation) && <small>{numberBeside(conversation)}</small>}
      </div>
      <div class="actions">
        {may("operator") && (
          <>
            <AssignSelect conversation={conversation} />
            <CloseButton conversation={conversation} />
          </>
        )}
        <a
          class="button quiet to-details"
          title={details}
          href={link(["inbox"], { ...query, details: "true" })}
        >
          <Icon name="info" />
          <span>{details}</span>
        </a>
      </div>
    </header>
  );
}

/** On phones: back to the list. */
export function Back() {
  const { conversation: _, handoff: __, details: ___, ...query } = route.value.query;
  const { back } = words().inbox;
  return (
    <a class="button quiet bare back" href={link(["inbox"], query)} aria-label={back} title={back}>
      <Icon name="left" />
    </a>
  );
}
