import { useEffect, useState } from "preact/hooks";
import { api, ask } from "../data/client.ts";
import { companyId } from "../data/company.ts";
import { addressOf, searchable } from "../data/contact_text.ts";
import { useQuery } from "../data/query.ts";
import { listContacts, type StoredContact } from "../data/sdk.ts";
import { Field } from "./form/fields.tsx";
import { phone } from "../i18n/format.ts";
import { words } from "../i18n/words.ts";

/** Long enough to type on. */
const TYPING_MS = 250;

const SHOWN = 8;

/** Finds stored people by name, number or e-mail address as one types, and takes the one that is pressed. */
export function PeoplePicker({ without = [], onPick }: {
  /** Ids of those who are not offered. */
  without?: string[];
  onPick: (contact: StoredContact) => void;
}) {
  const [typed, setTyped] = useState("");
  const [search, setSearch] = useState<string>();
  const names = words().contacts;
  useEffect(() => {
    const timer = setTimeout(() => setSearch(searchable(typed)), TYPING_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  const { data } = useQuery(
    `pick ${companyId()} ${search}`,
    async (signal) =>
      search === undefined ? undefined : (await ask(listContacts({
        ...{ client: api(), path: { company_id: companyId() }, signal },
        query: { search, limit: SHOWN + without.length },
      }))).contacts,
  );
  const found = data?.filter(({ contact_id }) => !without.includes(contact_id)).slice(0, SHOWN);
  return (
    <div class="picker">
      <Field
        type="search"
        label={names.search}
        placeholder={names.searchHint}
        value={typed}
        onChange={setTyped}
      />
      <div role="status">{found?.length === 0 && <p class="help">{names.noneLike}</p>}</div>
      <ul class="lines">
        {found?.map((contact) => (
          <li key={contact.contact_id}>
            <button type="button" class="pick" onClick={() => onPick(contact)}>
              <strong>{contact.name ?? names.nameless}</strong> <span>{describe(contact)}</span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}

function describe(contact: StoredContact): string {
  const number = addressOf(contact, "number");
  return [number && phone(number), addressOf(contact, "email"), ...contact.tags].filter(Boolean).join(" · ");
}
