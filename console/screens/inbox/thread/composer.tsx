import { useRef, useState } from "preact/hooks";
import { may } from "../../../data/company.ts";
import { useNow } from "../../../data/live/now.ts";
import type { InboxConversation } from "../../../data/sdk.ts";
import { Button } from "../../../components/button.tsx";
import { Time } from "../../../components/time.tsx";
import { duration } from "../../../i18n/format.ts";
import { keepDraft, readDraft } from "./drafts.ts";
import type { ConversationPath } from "../inbox_data.ts";
import { sendReply } from "./outbox.ts";
import { TemplateButton } from "./template_button.tsx";
import { useTypingReport } from "./typing.tsx";
import { words } from "../../../i18n/words.ts";

/** Of a chat and of WhatsApp, in characters. */
const MAX_LENGTH = { chat: 4000, whatsapp: 4096 };

const HOUR_MS = 3_600_000;

/** Where a reply is written, or why none can be. */
export function Composer(props: {
  path: ConversationPath;
  conversation: InboxConversation;
  onSent: () => void;
}) {
  const { conversation: { kind, state, window_closes_at } } = props;
  const now = useNow(1000);
  const { viewerHelp, chatClosed } = words().inbox;
  if (!may("operator")) return <p class="composer facts">{viewerHelp}</p>;
  if (kind === "chat") {
    return state === "closed" ? <p class="composer facts">{chatClosed}</p> : <Writing {...props} />;
  }
  const leftMs = window_closes_at === null ? 0 : Date.parse(window_closes_at) - now;
  return leftMs > 0
    ? <Writing {...props} note={<WindowNote leftMs={leftMs} closesAt={window_closes_at!} />} />
    : <WindowClosed {...props} />;
}

/** The countdown of WhatsApp's window. */
function WindowNote({ leftMs, closesAt }: { leftMs: number; closesAt: string }) {
  // Seconds matter in the last hour only.
  const shownS = leftMs > HOUR_MS ? Math.floor(leftMs / 60_000) * 60 : Math.ceil(leftMs / 1000);
  return (
    <span class={leftMs < HOUR_MS ? "window late" : "window"}>
      {words().inbox.windowOpen(duration(shownS))} (<Time at={closesAt} />)
    </span>
  );
}

function WindowClosed({ conversation }: { conversation: InboxConversation }) {
  const { windowClosed, windowNever, windowHelp } = words().inbox;
  return (
    <div class="composer closed">
      <p>
        <strong>{conversation.window_closes_at === null ? windowNever : windowClosed}</strong> {windowHelp}
      </p>
      <TemplateButton conversation={conversation} />
    </div>
  );
}

function Writing({ path, conversation, onSent, note }: {
  path: ConversationPath;
  conversation: InboxConversation;
  onSent: () => void;
  note?: preact.ComponentChildren;
}) {
  const [text, setText] = useState(readDraft(path.conversation_id));
  const field = useRef<HTMLTextAreaElement>(null);
  const reportTyping = useTypingReport(path);
  const { write, send, keys } = words().inbox;

  function type(next: string): void {
    setText(next);
    keepDraft(path.conversation_id, next);
    if (conversation.kind === "chat") reportTyping(next !== "");
  }

  async function submit(event?: Event): Promise<void> {
    event?.preventDefault();
    const reply = text.trim();
    if (reply === "") return;
    type("");
    field.current?.focus();
    if (await sendReply(path, reply)) onSent();
  }

  return (
    <form class="composer" onSubmit={submit}>
      <textarea
        ref={field}
        rows={Math.min(6, Math.max(2, text.split("\n").length))}
        maxLength={MAX_LENGTH[conversation.kind]}
        aria-label={write}
        placeholder={write}
        value={text}
        onInput={(event) => type(event.currentTarget.value)}
        onKeyDown={(event) => {
          // Enter also ends the word of an input method.
          if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
          event.preventDefault();
          void submit();
        }}
      />
      <div class="composer-foot">
        <span class="facts">{note ?? keys}</span>
        <Button type="submit" kind="main" icon="send" disabled={text.trim() === ""}>{send}</Button>
      </div>
    </form>
  );
}
