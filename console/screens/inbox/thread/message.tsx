import { link, may } from "../../../data/company.ts";
import type { InboxMessage } from "../../../data/sdk.ts";
import { authorName } from "../../../components/author.ts";
import { AuthorAvatar } from "../../../components/member_avatar.tsx";
import { Button } from "../../../components/button.tsx";
import { FailureReason } from "../../../components/failure_reason.tsx";
import { LinkedText } from "../../../components/linked_text.tsx";
import { mediaOf } from "../../../components/media/media_file.ts";
import { MediaView } from "../../../components/media/media_view.tsx";
import { RichText } from "../../../components/rich_text.tsx";
import { Time } from "../../../components/time.tsx";
import { type ChatExtras, ChatExtrasView } from "./chat_extras.tsx";
import { attachmentProblem } from "../../../i18n/codes.ts";
import { words } from "../../../i18n/words.ts";

/** One message: who wrote it, what it replies to, its file, its text, and what became of it. */
export function Message({ message, isChat, pictureUrl, showsAuthor, onReply }: {
  message: InboxMessage;
  isChat: boolean;
  /** Of a member who wrote it. */
  pictureUrl: string | null | undefined;
  /** Not where the message above is of the same author. */
  showsAuthor: boolean;
  onReply: ((message: InboxMessage) => void) | undefined;
}) {
  const { author, written_by, kind, text, content, attachment, replies_to, status } = message;
  const { error_code, error_reason, at } = message;
  const { reply } = words().inbox;
  const isOurs = author !== "contact";
  const file = mediaOf(message, !isOurs);
  const extras: ChatExtras | null = isChat ? content : null;
  const isLost = attachment?.state === "not_stored";
  return (
    <li class={`message ${author}${kind === "sticker" ? " bare" : ""}`}>
      <span class={showsAuthor && isOurs ? "message-by" : "unseen"}>
        {showsAuthor && isOurs && <AuthorAvatar author={written_by} pictureUrl={pictureUrl} />}
        {authorName(written_by)}
      </span>
      {replies_to && <Quote replied={replies_to} />}
      {file && (isLost ? <p class="error">{attachmentProblem(attachment)}</p> : <MediaView file={file} />)}
      {!file && kind !== "text" && (
        <small class="message-kind">{words().media.kinds[kind] ?? words().media.kinds.other}</small>
      )}
      {!file && typeof content?.link === "string" && <LinkedText text={content.link} isChat />}
      {text && text !== extras?.card?.title && (
        <p>
          <LinkedText text={text} isChat={isChat} />
        </p>
      )}
      {extras && <ChatExtrasView {...extras} />}
      <span class="message-foot">
        {onReply && may("operator") && (
          <Button
            kind="quiet"
            icon="reply"
            label={reply}
            onPress={() => onReply(message)}
          />
        )}
        <Time at={at} style="clock" />
        {author === "company" && status && (
          <span class={status === "failed" ? "failed" : undefined}>
            {words().common.statuses[status] ?? status}
          </span>
        )}
      </span>
      {error_reason && (
        <p class="error">
          <FailureReason code={error_code} reason={error_reason} />
        </p>
      )}
    </li>
  );
}

/** The message of a campaign that the person replies to, as they saw it. */
function Quote({ replied }: { replied: NonNullable<InboxMessage["replies_to"]> }) {
  const { campaign_id, campaign_name, rendered } = replied;
  const { repliesTo, erasedMessage } = words().inbox;
  const heading = rendered?.header?.text;
  return (
    <blockquote class="quote">
      <a href={link(["campaigns", campaign_id])}>{repliesTo(campaign_name)}</a>
      <p>
        {heading && <strong>{heading}</strong>} {rendered ? <RichText text={rendered.body} /> : erasedMessage}
      </p>
    </blockquote>
  );
}
