import { api, ask } from "../../../data/client.ts";
import { companyId, link } from "../../../data/company.ts";
import { useQuery } from "../../../data/query.ts";
import { route } from "../../../data/route.ts";
import { listContacts, searchConversations } from "../../../data/sdk.ts";
import { Empty } from "../../../components/empty.tsx";
import { ErrorNotice } from "../../../components/error_notice.tsx";
import { Icon } from "../../../components/icon.tsx";
import { phone } from "../../../i18n/format.ts";
import { Row } from "./conversation_row.tsx";
import { Skeleton } from "./skeleton.tsx";
import { words } from "../../../i18n/words.ts";

/** The API looks for no shorter text. */
export const MIN_SEARCH_LENGTH = 3;

const MAX_PEOPLE = 5;

/** The people of a name or number, and the conversations that contain a text. */
export function Found({ text }: { text: string }) {
  const path = { company_id: companyId() };
  const chosen = route.value.query.conversation;
  const people = useQuery(`people like ${path.company_id} ${text}`, (signal) => {
    const query = { search: text, limit: MAX_PEOPLE };
    return ask(listContacts({ client: api(), path, query, signal }));
  });
  const { data, problem, reload } = useQuery(`messages like ${path.company_id} ${text}`, (signal) => {
    const query = { q: text.slice(0, 100) };
    return ask(searchConversations({ client: api(), path, query, signal }));
  });
  const { found, foundPeople, foundMessages, foundSome } = words().inbox;
  if (data === undefined) {
    return problem ? <ErrorNotice problem={problem} onRetry={reload} /> : <Skeleton />;
  }
  const contacts = people.data?.contacts ?? [];
  const first = data.messages.filter(({ conversation_id }, index) =>
    index === data.messages.findIndex((each) => each.conversation_id === conversation_id)
  );
  return (
    <div class="rows">
      {contacts.length > 0 && <h2 class="rows-head">{foundPeople}</h2>}
      <ul>
        {contacts.map(({ contact_id, name, addresses }) => (
          <li key={contact_id} class="inbox-row person">
            <span class="avatar" aria-hidden="true">
              <Icon name="user" />
            </span>
            <a class="row-link" href={link(["inbox"], { view: "all", contact_id })}>
              <span class="who">{name ?? shown(addresses)}</span>
            </a>
            <span class="last">{name && shown(addresses)}</span>
          </li>
        ))}
      </ul>
      {first.length > 0 && <h2 class="rows-head">{foundMessages}</h2>}
      <ul>
        {first.map((message) => {
          const row = data.conversations.find((each) => each.conversation_id === message.conversation_id);
          return row && (
            <Row
              key={message.message_id}
              row={row}
              found={message}
              isChosen={row.conversation_id === chosen}
            />
          );
        })}
      </ul>
      {!data.is_complete && <p class="help rows-note">{foundSome}</p>}
      {contacts.length === 0 && first.length === 0 && <Empty title={found} />}
    </div>
  );
}

function shown(addresses: { kind: string; address: string }[]): string {
  const first = addresses.find(({ kind }) => kind === "number") ?? addresses[0];
  return first?.kind === "number" ? phone(first.address) : first?.address ?? "";
}
