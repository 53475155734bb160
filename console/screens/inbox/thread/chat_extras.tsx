import { LinkedText } from "../../../components/linked_text.tsx";
import { chatExtraWords } from "../../../i18n/chat_extra_words.ts";
import type { InboxReply } from "../../../data/sdk.ts";
import type { MediaFile } from "../../../components/media/media_file.ts";
import { MediaView } from "../../../components/media/media_view.tsx";

/** The card and the quick replies that a message of a chat has beside its text. */
export type ChatExtras = Pick<InboxReply, "card" | "quick_replies">;

/** Shows the card and the quick replies of a message, as its content has them. */
export function ChatExtrasView({ card, quick_replies }: ChatExtras) {
  const image: MediaFile | undefined = card?.image_media_id
    ? { kind: "image", mediaId: card.image_media_id, name: card.title }
    : undefined;
  return (
    <>
      {card && (
        <blockquote class="quote">
          {image && <MediaView file={image} />}
          {card.image_url && <small>{<LinkedText text={card.image_url} isChat />}</small>}
          <p>
            <strong>{card.title}</strong> {card.text}
          </p>
          {card.buttons?.map(({ label, url }) => (
            <p key={url}>{label}: {<LinkedText text={url} isChat />}</p>
          ))}
        </blockquote>
      )}
      {quick_replies && <small>{chatExtraWords().offered(quick_replies.join(" · "))}</small>}
    </>
  );
}
