import { splitLinks } from "../../widget/chat/messages/split_links.ts";
import { RichText } from "./rich_text.tsx";

/**
 * A message's text with its links, as the other side sees it: WhatsApp has bold and italics, the chat of a website has
 * none.
 */
export function LinkedText({ text, isChat = false }: { text: string; isChat?: boolean }) {
  return (
    <>
      {splitLinks(text).map((piece, index) =>
        piece.isLink
          ? <a key={index} href={piece.text} target="_blank" rel="noopener noreferrer">{piece.text}</a>
          : isChat
          ? <span key={index}>{piece.text}</span>
          : <RichText key={index} text={piece.text} />
      )}
    </>
  );
}
