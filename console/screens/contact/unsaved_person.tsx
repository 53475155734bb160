import { useState } from "preact/hooks";
import { link, may } from "../../data/company.ts";
import { isNumber } from "../../data/addresses.ts";
import type { Problem } from "../../data/problem.ts";
import type { Person } from "../../data/sdk.ts";
import { Button } from "../../components/button.tsx";
import { ErrorNotice } from "../../components/error_notice.tsx";
import { PageHead } from "../../components/page_head.tsx";
import { Tabs } from "../../components/tabs.tsx";
import { country } from "../../i18n/format.ts";
import { NewContact } from "../contacts/new_contact.tsx";
import { titleOf } from "./address_title.ts";
import { Calls } from "./calls.tsx";
import { activeSuppressions } from "./consent_state.ts";
import { ConsentState } from "./consent_state_panel.tsx";
import { Ledger } from "./ledger.tsx";
import { Messages } from "./messages.tsx";
import { DataButtons, RecordButtons } from "./person_actions.tsx";
import { Sent } from "./sent.tsx";
import { words } from "../../i18n/words.ts";

/** A person who is no contact: whether messages may go there, and all that happened. */
export function UnsavedPerson({ address, person, problem, onChange }: {
  address: string;
  person: Person;
  problem: Problem | undefined;
  onChange: () => void;
}) {
  const [isAdding, setAdding] = useState(false);
  const names = words().contact;
  const others = [...new Set([...person.addresses, ...person.user_ids.map(({ user_id }) => String(user_id))])]
    .filter((each) => each !== address);
  const from = person.read_number?.country;
  return (
    <>
      <PageHead
        title={titleOf(address)}
        above={{ title: words().contacts.title, href: link(["contacts"]) }}
        badge={activeSuppressions(person).length > 0
          ? <span class="badge bad">{names.optedOut}</span>
          : undefined}
        facts={
          <>
            <span>{names.notSaved}</span>
            {from && <span>{names.numberOf(country(from))}</span>}
            {others.length > 0 && (
              <span>
                {names.alsoKnown} {others.map((each, index) => (
                  <>
                    {index > 0 && ", "}
                    <a key={each} href={link(["contacts", each])}>{titleOf(each)}</a>
                  </>
                ))}
              </span>
            )}
          </>
        }
        actions={may("operator") && (
          <>
            {isNumber(address) && (
              <Button kind="main" icon="plus" onPress={() => setAdding(true)}>{names.saveContact}</Button>
            )}
            <RecordButtons address={address} onChange={onChange} />
            <DataButtons address={address} />
          </>
        )}
      />
      {problem && <ErrorNotice problem={problem} onRetry={onChange} />}
      <ConsentState person={person} address={address} onChange={onChange} />
      <Tabs
        label={names.views}
        tabs={[
          { name: "sent", title: names.sent, content: () => <Sent address={address} /> },
          { name: "messages", title: names.messages, content: () => <Messages address={address} /> },
          ...(isNumber(address)
            ? [{ name: "calls", title: names.calls, content: () => <Calls number={address} /> }]
            : []),
          { name: "consent", title: names.consent, content: () => <Ledger person={person} /> },
        ]}
      />
      {isAdding && (
        <NewContact
          number={address}
          onClose={() => {
            setAdding(false);
            onChange();
          }}
        />
      )}
    </>
  );
}
