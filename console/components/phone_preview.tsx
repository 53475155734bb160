import type { PreviewMessage } from "../data/template_message.ts";
import { Icon } from "./icon.tsx";
import { RichText } from "./rich_text.tsx";

/** A message on a phone, with its text as text whatever it holds. */
export function PhonePreview({ label, message }: { label: string; message: PreviewMessage }) {
  const { cards = [] } = message;
  return (
    <figure class="phone" aria-label={label}>
      <Bubble message={message} />
      {cards.length > 0 && (
        <ul class="cards" tabIndex={0}>
          {cards.map((card, index) => (
            <li key={index}>
              <Bubble message={card} />
            </li>
          ))}
        </ul>
      )}
    </figure>
  );
}

function Bubble({ message: { header, body, footer, buttons = [] } }: { message: PreviewMessage }) {
  return (
    <div class="bubble">
      {header?.kind === "media" && (
        <div class="media">
          <Icon name="download" />
          <span>{header.name}</span>
          <small>{header.format}</small>
        </div>
      )}
      {header?.kind === "text" && (
        <p class="bubble-head">
          <RichText text={header.text} />
        </p>
      )}
      {body && (
        <p class="bubble-body">
          <RichText text={body} />
        </p>
      )}
      {footer && <p class="bubble-foot">{footer}</p>}
      {buttons.map((text, index) => <p key={index} class="bubble-button">{text}</p>)}
    </div>
  );
}
