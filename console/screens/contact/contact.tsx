import { link } from "../../data/company.ts";
import { ErrorNotice } from "../../components/error_notice.tsx";
import { ContactPage } from "./contact_page.tsx";
import { usePerson } from "./person_data.ts";
import { UnsavedPerson } from "./unsaved_person.tsx";
import { words } from "../../i18n/words.ts";

const CONTACT_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** One person, by the contact's id or by any address; an address may belong to no contact. */
export default function Contact({ params: { address: named = "" } }: { params: Record<string, string> }) {
  return CONTACT_ID.test(named)
    ? <ContactPage key={named} contactId={named} />
    : <ByAddress key={named} address={named} />;
}

function ByAddress({ address }: { address: string }) {
  const { data: person, problem, reload } = usePerson(address);
  if (person === undefined) {
    if (problem?.code === "validation_failed") return <NoAddress />;
    if (problem) return <ErrorNotice problem={problem} onRetry={reload} />;
    return <p class="loading" role="status">{words().common.loading}</p>;
  }
  if (person.contact) return <ContactPage contactId={person.contact.contact_id} />;
  return <UnsavedPerson address={address} person={person} problem={problem} onChange={reload} />;
}

function NoAddress() {
  const { title, addressHelp } = words().contacts;
  return (
    <>
      <a href={link(["contacts"])}>{title}</a>
      <p class="error" role="alert">{addressHelp}</p>
    </>
  );
}
