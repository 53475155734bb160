import { useState } from "preact/hooks";
import { api, ask } from "../../data/client.ts";
import { companyId, link, may } from "../../data/company.ts";
import { addressOf } from "../../data/contact_text.ts";
import { markAllOld, readAllAnew } from "../../data/entries.ts";
import { navigate } from "../../data/route.ts";
import { removeContact } from "../../data/sdk.ts";
import { Button } from "../../components/button.tsx";
import { ErrorNotice } from "../../components/error_notice.tsx";
import { PageHead } from "../../components/page_head.tsx";
import { Tabs } from "../../components/tabs.tsx";
import { confirm } from "../../components/dialog/confirm.tsx";
import { attempt, toast } from "../../components/dialog/toast.tsx";
import { Standing } from "../contacts/columns.tsx";
import { nameOf } from "../contacts/contact_text.ts";
import { titleOf } from "./address_title.ts";
import { ConsentState } from "./consent_state_panel.tsx";
import { changeOf, type Contact, useContact } from "./contact_data.ts";
import { Details } from "./details.tsx";
import { Ledger } from "./ledger.tsx";
import { MergeDialog } from "./merge_dialog.tsx";
import { DataButtons, RecordButtons } from "./person_actions.tsx";
import { usePerson } from "./person_data.ts";
import { TemplateButton } from "../inbox/thread/template_button.tsx";
import { Timeline } from "./timeline.tsx";
import { words } from "../../i18n/words.ts";

/** A contact: what is known, what is in the way, and all that happened. */
export function ContactPage({ contactId }: { contactId: string }) {
  const query = useContact(contactId);
  const { data: contact, problem, reload } = query;
  if (contact === undefined) {
    if (problem) return <ErrorNotice problem={problem} onRetry={reload} />;
    return <p class="loading" role="status">{words().common.loading}</p>;
  }
  const address = addressOf(contact, "number", "user_id");
  return (
    <>
      <PageHead
        title={nameOf(contact)}
        above={{ title: words().contacts.title, href: link(["contacts"]) }}
        badge={contact.opted_out || contact.consent ? <Standing contact={contact} /> : undefined}
        facts={contact.name !== null && address ? <span>{titleOf(address)}</span> : undefined}
        actions={may("operator") && address && (
          <>
            <TemplateButton label={words().contact.send} number={address} />
            <RecordButtons address={address} onChange={readAllAnew} />
          </>
        )}
      />
      {problem && <ErrorNotice problem={problem} onRetry={reload} />}
      <div class="person-page">
        <div>
          {address
            ? <Happened contact={contact} address={address} onChange={reload} />
            : <Timeline contactId={contactId} />}
        </div>
        <aside aria-label={words().contact.details}>
          <Details contact={contact} change={changeOf(contact, query)} />
          {may("operator") && <WholeActions contact={contact} address={address} />}
        </aside>
      </div>
    </>
  );
}

/** Merges, deletes, exports or erases the contact as a whole. */
function WholeActions({ contact, address }: { contact: Contact; address: string | undefined }) {
  const [isMerging, setMerging] = useState(false);
  const names = words().contact;

  async function remove(): Promise<void> {
    const question = {
      title: names.deleteTitle(nameOf(contact)),
      text: names.deleteText,
      action: names.delete,
    };
    if (!await confirm({ ...question, isDanger: true })) return;
    const path = { company_id: companyId(), contact_id: contact.contact_id };
    if (await attempt(() => ask(removeContact({ client: api(), path }))) === undefined) return;
    toast(names.deleted);
    markAllOld();
    navigate(link(["contacts"]));
  }

  return (
    <div class="whole-actions">
      <Button onPress={() => setMerging(true)}>{names.merge}</Button>
      <Button onPress={remove}>{names.delete}</Button>
      {address && <DataButtons address={address} />}
      {isMerging && (
        <MergeDialog
          contact={contact}
          onClose={() => setMerging(false)}
          onMerged={() => {
            setMerging(false);
            readAllAnew();
          }}
        />
      )}
    </div>
  );
}

function Happened({ contact, address, onChange }: {
  contact: Contact;
  address: string;
  onChange: () => void;
}) {
  const names = words().contact;
  const { data: person, reload } = usePerson(address);
  const changed = () => {
    reload();
    onChange();
  };
  return (
    <>
      {person && <ConsentState person={person} address={address} onChange={changed} />}
      <Tabs
        label={names.views}
        tabs={[
          {
            name: "timeline",
            title: names.timeline,
            content: () => <Timeline contactId={contact.contact_id} />,
          },
          { name: "consent", title: names.consent, content: () => person && <Ledger person={person} /> },
        ]}
      />
    </>
  );
}
