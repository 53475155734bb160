import { useState } from "preact/hooks";
import { link, may } from "../../data/company.ts";
import { navigate } from "../../data/route.ts";
import { Button } from "../../components/button.tsx";
import { ErrorNotice } from "../../components/error_notice.tsx";
import { PageHead } from "../../components/page_head.tsx";
import { Tabs } from "../../components/tabs.tsx";
import { attempt, toast } from "../../components/dialog/toast.tsx";
import { isAddress } from "../../data/addresses.ts";
import { titleOf } from "./address_title.ts";
import { Calls } from "./calls.tsx";
import { ConsentDialog } from "./consent_dialog.tsx";
import { EraseDialog } from "./erase_dialog.tsx";
import { Ledger } from "./ledger.tsx";
import { Messages } from "./messages.tsx";
import { downloadPerson, usePerson } from "./person_data.ts";
import { Sent } from "./sent.tsx";
import { activeSuppressions } from "./consent_state.ts";
import { ConsentState } from "./consent_state_panel.tsx";
import { SuppressDialog } from "./suppress_dialog.tsx";
import { words } from "../../i18n/words.ts";

/** One person: whether messages may go there, and all that happened. */
export default function Contact({ params }: { params: Record<string, string> }) {
  const address = params.address!;
  const { data: person, problem, reload } = usePerson(address);
  const [open, setOpen] = useState<"suppress" | "consent" | "erase">();
  const names = words().contact;
  const above = { title: words().contacts.title, href: link(["contacts"]) };
  if (person === undefined) {
    if (problem) return <ErrorNotice problem={problem} onRetry={reload} />;
    return <p class="loading" role="status">{words().common.loading}</p>;
  }
  const close = () => {
    setOpen(undefined);
    reload();
  };
  const isOut = activeSuppressions(person).length > 0;
  const others = [...new Set([...person.addresses, ...person.user_ids.map(({ user_id }) => String(user_id))])]
    .filter((each) => each !== address);
  return (
    <>
      <PageHead
        title={titleOf(address)}
        above={above}
        badge={isOut ? <span class="badge bad">{names.optedOut}</span> : undefined}
        facts={others.length > 0 &&
          (
            <span>
              {names.alsoKnown} {others.map((each, index) => (
                <>
                  {index > 0 && ", "}
                  <a key={each} href={link(["contacts", each])}>{titleOf(each)}</a>
                </>
              ))}
            </span>
          )}
        actions={may("operator") && (
          <>
            <Button icon="download" onPress={() => save(address)}>{names.export}</Button>
            {may("owner") && (
              <Button onPress={() => setOpen("consent")}>{words().contacts.record.consents}</Button>
            )}
            <Button onPress={() => setOpen("suppress")}>{words().contacts.record.suppressions}</Button>
            {may("owner") && <Button kind="danger" onPress={() => setOpen("erase")}>{names.erase}</Button>}
          </>
        )}
      />
      {problem && <ErrorNotice problem={problem} onRetry={reload} />}
      <ConsentState person={person} address={address} onChange={reload} />
      <Tabs
        label={names.views}
        tabs={[
          { name: "sent", title: names.sent, content: () => <Sent address={address} /> },
          { name: "messages", title: names.messages, content: () => <Messages address={address} /> },
          ...(/^\d/.test(address)
            ? [{ name: "calls", title: names.calls, content: () => <Calls number={address} /> }]
            : []),
          { name: "consent", title: names.consent, content: () => <Ledger person={person} /> },
        ]}
      />
      {open === "suppress" && <SuppressDialog address={address} onClose={close} />}
      {open === "consent" && <ConsentDialog address={address} onClose={close} />}
      {open === "erase" && (
        <EraseDialog
          address={address}
          onClose={() => setOpen(undefined)}
          onErased={() => navigate(link(["contacts"]))}
        />
      )}
    </>
  );
}

async function save(address: string): Promise<void> {
  if (!isAddress(address)) return;
  await attempt(async () => {
    await downloadPerson(address);
    toast(words().contact.exported);
  });
}
