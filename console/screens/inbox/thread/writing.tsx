import { useEffect, useId, useRef, useState } from "preact/hooks";
import type { InboxConversation, InboxMessage } from "../../../data/sdk.ts";
import { Button } from "../../../components/button.tsx";
import { EmojiButton } from "../../../components/emoji_button.tsx";
import { later } from "../../../components/dialog/later.tsx";
import type { ConversationPath } from "../inbox_data.ts";
import { CannedMenu } from "../canned/canned_menu.tsx";
import { variablesOf } from "../canned/fill.ts";
import { AttachmentStrip } from "./attachment_strip.tsx";
import { useAttachments } from "./attachments.ts";
import { keepDraft, readDraft } from "./drafts.ts";
import { ACCEPTED } from "../../../../widget/shared/file_types.ts";
import type { ChatExtras } from "./chat_extras.tsx";
import { ExtrasButton } from "./extras_button.tsx";
import { sendReply } from "./outbox.ts";
import { sendAll } from "./send_all.ts";
import { useTypingReport } from "./typing.tsx";
import { useCanned } from "./use_canned.ts";
import { useFileDrop } from "./use_file_drop.ts";
import { words } from "../../../i18n/words.ts";

/** Of a chat and of WhatsApp, in characters; and of the text beside a file. */
const MAX_LENGTH = { chat: 4000, whatsapp: 4096 };
const MAX_CAPTION_LENGTH = 1024;

const CannedDialog = later(async () => (await import("../canned/canned_dialog.tsx")).CannedDialog);

export interface ReplyProps {
  path: ConversationPath;
  conversation: InboxConversation;
  /** The message that it replies to. */
  replyTo: InboxMessage | undefined;
  onReplyTo: (message: InboxMessage | undefined) => void;
  onSent: () => void;
}

/** The field for a reply, with files, emoji and canned replies. */
export function Writing({ path, conversation, replyTo, onReplyTo, onSent, note }:
  & ReplyProps
  & { note?: preact.ComponentChildren }) {
  const [text, setText] = useState(readDraft(path.conversation_id));
  const [isManaging, setManaging] = useState(false);
  const [lacking, setLacking] = useState<string[]>([]);
  const field = useRef<HTMLTextAreaElement>(null);
  const picker = useRef<HTMLInputElement>(null);
  const menuId = useId();
  const reportTyping = useTypingReport(path);
  const files = useAttachments();
  const canned = useCanned({ conversation, field, text, setText: type });
  const isWhatsApp = conversation.kind === "whatsapp";
  const isOver = useFileDrop(field, true, files.add);
  const { write, send, keys, attach, canned: cannedName, dropHere, fillFirst, replyingTo, stopReplying } =
    words().inbox;
  const isUploading = files.all.some(({ sent }) => sent === undefined);
  const isEmpty = text.trim() === "" && files.all.length === 0;
  const maxLength = files.all.length > 0 ? MAX_CAPTION_LENGTH : MAX_LENGTH[conversation.kind];

  useEffect(() => replyTo && field.current!.focus(), [replyTo]);

  function type(next: string): void {
    setText(next);
    setLacking([]);
    keepDraft(path.conversation_id, next);
    if (!isWhatsApp) reportTyping(next !== "");
  }

  async function submit(event?: Event): Promise<void> {
    event?.preventDefault();
    const reply = text.trim();
    if (isEmpty || isUploading) return;
    const left = variablesOf(reply);
    if (left.length > 0) return setLacking(left);
    const sent = files.all.map((each) => each.sent!);
    type("");
    files.clear();
    onReplyTo(undefined);
    field.current?.focus();
    if (await sendAll(path, { text: reply, files: sent, replyTo: replyTo?.message_id })) onSent();
  }

  async function sendExtras(reply: string, extras: ChatExtras): Promise<void> {
    type("");
    if (await sendReply(path, { text: reply, extras })) onSent();
  }

  return (
    <>
      <form class={isOver ? "over" : undefined} onSubmit={submit}>
        {isOver && <p class="drop-here">{dropHere}</p>}
        {canned.isOpen && (
          <CannedMenu
            id={menuId}
            replies={canned.found}
            at={canned.at}
            onChoose={canned.choose}
            onManage={() => setManaging(true)}
          />
        )}
        {replyTo && (
          <p class="replying-to">
            <span>{replyingTo} {replyTo.text ?? words().media.kinds[replyTo.kind]}</span>
            <Button kind="quiet" icon="close" label={stopReplying} onPress={() => onReplyTo(undefined)} />
          </p>
        )}
        <AttachmentStrip attachments={files.all} onRemove={files.remove} onRetry={files.retry} />
        <textarea
          ref={field}
          rows={Math.min(6, Math.max(2, text.split("\n").length))}
          maxLength={maxLength}
          aria-label={write}
          aria-autocomplete="list"
          aria-controls={canned.isOpen ? menuId : undefined}
          aria-activedescendant={canned.found.length > 0 ? `${menuId}-${canned.at}` : undefined}
          placeholder={write}
          value={text}
          onInput={(event) => {
            type(event.currentTarget.value);
            canned.follow();
          }}
          onSelect={canned.follow}
          onPaste={(event) => {
            const pasted = [...event.clipboardData?.files ?? []];
            if (pasted.length === 0) return;
            event.preventDefault();
            files.add(pasted);
          }}
          onKeyDown={(event) => {
            if (canned.press(event)) return event.preventDefault();
            // Enter also ends the word of an input method.
            if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
            event.preventDefault();
            void submit();
          }}
        />
        {lacking.length > 0 && (
          <p class="error" role="alert">{fillFirst(lacking.map((name) => `{{${name}}}`).join(", "))}</p>
        )}
        <div class="composer-foot">
          <div class="composer-tools">
            <Button kind="quiet" icon="clip" label={attach} onPress={() => picker.current!.click()} />
            <input
              ref={picker}
              type="file"
              multiple
              hidden
              accept={ACCEPTED}
              aria-label={attach}
              onChange={({ currentTarget }) => {
                files.add([...currentTarget.files ?? []]);
                currentTarget.value = "";
              }}
            />
            <EmojiButton
              label={words().inbox.emoji}
              onChoose={(emoji) => canned.insert(emoji, canned.caret, canned.caret)}
            />
            <Button kind="quiet" icon="bolt" label={cannedName} onPress={() => setManaging(true)} />
            {!isWhatsApp && <ExtrasButton text={text} onSend={sendExtras} />}
          </div>
          <span class="facts">{note ?? keys}</span>
          <Button type="submit" kind="main" icon="send" disabled={isEmpty || isUploading}>{send}</Button>
        </div>
      </form>
      {isManaging && <CannedDialog onClose={() => setManaging(false)} />}
    </>
  );
}
