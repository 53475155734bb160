import { link } from "../../../data/company.ts";
import type { InboxConversation } from "../../../data/sdk.ts";
import { Icon } from "../../../components/icon.tsx";
import { Time } from "../../../components/time.tsx";
import { useConversations } from "../inbox_data.ts";
import { words } from "../../../i18n/words.ts";

/** The other conversations of the person: on the website, and with other numbers. */
export function OtherConversations({ conversation }: { conversation: InboxConversation }) {
  const { contact, conversation_id } = conversation;
  const list = useConversations("all", { contact_id: contact!.contact_id });
  const others = list.rows?.filter((each) => each.conversation_id !== conversation_id) ?? [];
  const { others: title, noText, kinds } = words().inbox;
  if (others.length === 0) return null;
  return (
    <section class="others">
      <h3>{title}</h3>
      <ul>
        {others.map((each) => (
          <li key={each.conversation_id}>
            <a href={link(["inbox"], { view: "all", conversation: each.conversation_id })}>
              <Icon name={each.kind === "chat" ? "chat" : "bubble"} />
              <span class="unseen">{kinds[each.kind]}</span>
              <span class="others-text">{each.last_text ?? noText}</span>
            </a>
            <small>
              <Time at={each.last_message_at} />
            </small>
          </li>
        ))}
      </ul>
    </section>
  );
}
