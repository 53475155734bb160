import { api, ask } from "../../../data/client.ts";
import { companyId, link } from "../../../data/company.ts";
import { route } from "../../../data/route.ts";
import { useQuery } from "../../../data/query.ts";
import { findPerson, type InboxConversation, listSenders, listWidgets } from "../../../data/sdk.ts";
import { ButtonLink } from "../../../components/button.tsx";
import { Copy } from "../../../components/copy.tsx";
import { Fact, Facts } from "../../../components/facts.tsx";
import { Icon } from "../../../components/icon.tsx";
import { StatusBadge } from "../../../components/status_badge.tsx";
import { Time } from "../../../components/time.tsx";
import { phone } from "../../../i18n/format.ts";
import { activeSuppressions } from "../../contact/consent_state.ts";
import { shortAddress } from "../names.ts";
import { words } from "../../../i18n/words.ts";

/** Shows who writes, and from where. */
export function DetailsPane({ conversation }: { conversation: InboxConversation }) {
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
        {conversation.kind === "chat"
          ? <Visitor conversation={conversation} />
          : <Person conversation={conversation} />}
      </div>
    </aside>
  );
}

function Visitor({ conversation }: { conversation: InboxConversation }) {
  const { page_url, page_title, language, widget_id, created_at, conversation_id } = conversation;
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
      <Fact name={names.id}>
        <span class="with-copy">
          <code>{conversation_id}</code>
          <Copy text={conversation_id} />
        </span>
      </Fact>
    </Facts>
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
  const path = { company_id: companyId() };
  const address = number ?? user_id;
  const senders = useQuery(
    `senders of inbox ${path.company_id}`,
    (signal) => ask(listSenders({ client: api(), path, query: { limit: 1000 }, signal })),
  );
  const sender = senders.data?.senders.find((each) => each.sender_id === sender_id);
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
      </Facts>
      {address && <ButtonLink href={link(["contacts", address])}>{names.history}</ButtonLink>}
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
