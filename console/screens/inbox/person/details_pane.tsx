import { api, ask } from "../../../data/client.ts";
import { companyId, link } from "../../../data/company.ts";
import { route } from "../../../data/route.ts";
import { useQuery } from "../../../data/query.ts";
import { findPerson, type InboxConversation, listWidgets } from "../../../data/sdk.ts";
import { ButtonLink } from "../../../components/button.tsx";
import { Fact, Facts } from "../../../components/facts.tsx";
import { Icon } from "../../../components/icon.tsx";
import { StatusBadge } from "../../../components/status_badge.tsx";
import { Time } from "../../../components/time.tsx";
import { phone } from "../../../i18n/format.ts";
import { activeSuppressions } from "../../contact/consent_state.ts";
import { useContactOf } from "../inbox_data.ts";
import { shortAddress } from "../names.ts";
import { useWhatsAppSenders } from "../thread/send_template.ts";
import { Stars } from "../stars.tsx";
import { LabelEditor } from "./label_editor.tsx";
import { OtherConversations } from "./other_conversations.tsx";
import { visitorWords } from "../../../i18n/visitor_words.ts";
import { words } from "../../../i18n/words.ts";

/** Shows who writes, from where, what the company knows of them, and their other conversations. */
export function DetailsPane({ conversation, onChange }: {
  conversation: InboxConversation;
  onChange: () => void;
}) {
  const { details, backToThread } = words().inbox;
  const { details: _, ...query } = route.value.query;
  return (
    <aside class="pane details-pane" aria-label={details}>
      <header class="thread-head">
        <a
          class="button quiet bare back"
          href={link(["inbox"], query)}
          aria-label={backToThread}
          title={backToThread}
        >
          <Icon name="left" />
        </a>
        <h2>{details}</h2>
      </header>
      <div class="details-body">
        <LabelEditor conversation={conversation} onChange={onChange} />
        {conversation.kind === "chat"
          ? <Visitor conversation={conversation} />
          : <Person conversation={conversation} />}
        {conversation.contact && <OtherConversations conversation={conversation} />}
      </div>
    </aside>
  );
}

function Visitor({ conversation }: { conversation: InboxConversation }) {
  const { page_url, page_title, language, widget_id, created_at, email, consent, rating } = conversation;
  const visitor = visitorWords();
  const names = words().inbox;
  const widgets = useQuery(
    `widgets ${companyId()}`,
    (signal) => ask(listWidgets({ client: api(), path: { company_id: companyId() }, signal })),
  );
  const widget = widgets.data?.widgets.find((each) => each.widget_id === widget_id);
  return (
    <Facts>
      <Fact name={names.state}>
        <StatusBadge status={conversation.state} />
      </Fact>
      <Fact name={names.page}>{page_url && <Page url={page_url} title={page_title} />}</Fact>
      <Fact name={names.language}>{language}</Fact>
      <Fact name={names.widget}>{widget?.name}</Fact>
      <Fact name={names.began}>
        <Time at={created_at} />
      </Fact>
      <Fact name={visitor.email}>{email && <a href={`mailto:${encodeURIComponent(email)}`}>{email}</a>}</Fact>
      <Fact name={visitor.rating}>{rating && <Rating rating={rating} />}</Fact>
      <Fact name={visitor.consent}>
        {consent && (
          <>
            {consent.text} <Time at={consent.accepted_at} />
          </>
        )}
      </Fact>
      <Known conversation={conversation} />
    </Facts>
  );
}

/** The stars that a visitor gave, and the words. */
function Rating({ rating: { rating, comment } }: { rating: NonNullable<InboxConversation["rating"]> }) {
  return (
    <>
      <Stars count={rating} />
      {comment && <p>{comment}</p>}
    </>
  );
}

/** A page of a stranger: a link only if it is one of the web. */
function Page({ url, title }: { url: string; title: string | null }) {
  const text = title || shortAddress(url);
  if (!/^https?:\/\//.test(url)) return <>{text}</>;
  return (
    <>
      <a href={url} target="_blank" rel="noopener noreferrer">{text}</a>
      {title && <small>{shortAddress(url)}</small>}
    </>
  );
}

function Person({ conversation }: { conversation: InboxConversation }) {
  const { number, user_id, sender_id, created_at, window_closes_at } = conversation;
  const names = words().inbox;
  const address = number ?? user_id;
  const sender = useWhatsAppSenders()?.find((each) => each.sender_id === sender_id);
  return (
    <>
      <Facts>
        <Fact name={names.state}>
          <StatusBadge status={conversation.state} />
        </Fact>
        <Fact name={names.number}>{number && phone(number)}</Fact>
        <Fact name={names.userId}>{user_id}</Fact>
        <Fact name={names.wroteTo}>{sender && phone(sender.number)}</Fact>
        <Fact name={names.began}>
          <Time at={created_at} />
        </Fact>
        <Fact name={names.windowUntil}>{window_closes_at && <Time at={window_closes_at} />}</Fact>
        {address && <Standing address={address} />}
        <Known conversation={conversation} />
      </Facts>
      {address && <ButtonLink href={link(["contacts", address])}>{names.history}</ButtonLink>}
    </>
  );
}

/** The facts that the company keeps of the person: name, tags and attributes. */
function Known({ conversation }: { conversation: InboxConversation }) {
  const contact = useContactOf(conversation);
  const names = words().inbox;
  if (contact === undefined) return null;
  return (
    <>
      <Fact name={names.person}>{contact.name}</Fact>
      <Fact name={names.tags}>{contact.tags.length > 0 ? contact.tags.join(", ") : null}</Fact>
      {Object.entries(contact.attributes).map(([name, value]) => (
        <Fact key={name} name={name}>{String(value)}</Fact>
      ))}
    </>
  );
}

/** Whether marketing may go to the person. */
function Standing({ address }: { address: string }) {
  const company_id = companyId();
  const query = /^\d/.test(address) ? { number: address } : { user_id: address };
  const { data } = useQuery(
    `person ${company_id} ${address}`,
    (signal) => ask(findPerson({ client: api(), path: { company_id }, query, signal })),
  );
  const { marketing, optedOut, notOptedOut } = words().inbox;
  return (
    <Fact name={marketing}>
      {data &&
        (activeSuppressions(data).length > 0 ? <span class="badge bad">{optedOut}</span> : notOptedOut)}
    </Fact>
  );
}
