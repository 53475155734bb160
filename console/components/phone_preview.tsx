import { company } from "../data/company.ts";
import type { PreviewMessage } from "../data/template_message.ts";
import { moment } from "../i18n/format.ts";
import { words } from "../i18n/words.ts";
import { Icon } from "./icon.tsx";
import { RichText } from "./rich_text.tsx";

type HeaderFormat = keyof ReturnType<typeof words>["newTemplate"]["headers"];

/** A message on a phone, with its text as text whatever it holds. */
export function PhonePreview({ label, message, from }: {
  label: string;
  message: PreviewMessage;
  /** The number that it comes from. */
  from?: string | undefined;
}) {
  const { cards = [] } = message;
  return (
    <figure class="phone" aria-label={label}>
      <Sender name={company.value?.name ?? ""} number={from} />
      <div class="phone-chat">
        <Bubble message={message} isMain />
        {cards.length > 0 && (
          <ul class="cards" tabIndex={0}>
            {cards.map((card, index) => (
              <li key={index}>
                <Bubble message={card} />
              </li>
            ))}
          </ul>
        )}
      </div>
    </figure>
  );
}

function Sender({ name, number }: { name: string; number: string | undefined }) {
  const initials = name.split(/\s+/).slice(0, 2).map((word) => [...word][0] ?? "").join("").toUpperCase();
  return (
    <div class="phone-head" aria-hidden="true">
      <span class="phone-face">{initials}</span>
      <span class="phone-name">
        {name}
        {number && <small>{number}</small>}
      </span>
    </div>
  );
}

function Bubble(
  { message: { header, body, footer, buttons = [] }, isMain = false }: {
    message: PreviewMessage;
    isMain?: boolean;
  },
) {
  return (
    <div class="bubble">
      {header?.kind === "media" && header.picture && (
        <img class="media" src={header.picture} alt={header.name} />
      )}
      {header?.kind === "media" && !header.picture && (
        <div class="media">
          <Icon name="download" />
          <span>{header.name}</span>
          <small>{words().newTemplate.headers[header.format as HeaderFormat] ?? header.format}</small>
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
      {isMain && (
        <p class="bubble-time" aria-hidden="true">
          {moment(Date.now(), { style: "clock" })} <span>✓✓</span>
        </p>
      )}
      {buttons.map((text, index) => <p key={index} class="bubble-button">{text}</p>)}
    </div>
  );
}
