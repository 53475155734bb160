import { Icon } from "./icon.tsx";
import { RichText } from "./rich_text.tsx";

/** A message as it will show on a phone. */
export interface PreviewMessage {
  header?: { kind: "text"; text: string } | { kind: "media"; format: string; name: string } | undefined;
  body: string;
  footer?: string | undefined;
  buttons?: string[];
}

/** A message on a phone, with its text as text whatever it holds. */
export function PhonePreview({ label, message }: { label: string; message: PreviewMessage }) {
  const { header, body, footer, buttons = [] } = message;
  return (
    <figure class="phone" aria-label={label}>
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
        <p class="bubble-body">
          <RichText text={body} />
        </p>
        {footer && <p class="bubble-foot">{footer}</p>}
        {buttons.map((text, index) => <p key={index} class="bubble-button">{text}</p>)}
      </div>
    </figure>
  );
}
