import { useState } from "preact/hooks";
import { api, ask } from "../../data/client.ts";
import { companyId, link } from "../../data/company.ts";
import { readAllAnew } from "../../data/entries.ts";
import { navigate } from "../../data/route.ts";
import { readPhone } from "../../data/people.ts";
import { Problem } from "../../data/problem.ts";
import { type CreateContact, createContact } from "../../data/sdk.ts";
import { Field } from "../../components/form/fields.tsx";
import { TagsField } from "../../components/form/tags_field.tsx";
import { FormDialog } from "../../components/form/form.tsx";
import { toast } from "../../components/dialog/toast.tsx";
import { phone } from "../../i18n/format.ts";
import { readTags } from "./contact_text.ts";
import { words } from "../../i18n/words.ts";

/** Makes a contact, and leads to it; to the one that has the number already, if there is one. */
export function NewContact({ number: known, onClose }: { number?: string | undefined; onClose: () => void }) {
  const [name, setName] = useState("");
  const [number, setNumber] = useState(known ? phone(known) : "");
  const [email, setEmail] = useState("");
  const [tags, setTags] = useState("");
  const names = words().contacts;

  async function save(): Promise<void> {
    const addresses: CreateContact["addresses"] = [];
    if (number.trim() !== "") {
      const person = await readPhone(number);
      if (person.contact) return open(person.contact.contact_id, names.wasThere);
      addresses.push({ kind: "number", address: person.read_number!.number });
    }
    if (email.trim() !== "") addresses.push({ kind: "email", address: email.trim() });
    if (addresses.length === 0) {
      throw new Problem("validation_failed", words().common.required, { details: { field: "number" } });
    }
    const body = { addresses, tags: readTags(tags), ...(name.trim() && { name: name.trim() }) };
    const contact = await ask(createContact({ client: api(), path: { company_id: companyId() }, body }));
    open(contact.contact_id, names.created);
  }

  function open(contactId: string, text: string): void {
    toast(text);
    readAllAnew();
    onClose();
    navigate(link(["contacts", contactId]));
  }

  return (
    <FormDialog title={names.newContact} action={words().common.save} onSave={save} onClose={onClose}>
      {(errorOf) => (
        <>
          <Field label={names.name} value={name} error={errorOf("name")} onChange={setName} />
          <Field
            label={words().common.number}
            type="tel"
            help={names.numberHelp}
            placeholder="+34 600 111 222"
            value={number}
            error={errorOf("number")}
            onChange={setNumber}
          />
          <Field
            label={names.email}
            type="email"
            value={email}
            error={errorOf("addresses")}
            onChange={setEmail}
          />
          <TagsField
            label={names.tags}
            help={names.tagsHelp}
            value={tags}
            error={errorOf("tags")}
            onChange={setTags}
          />
        </>
      )}
    </FormDialog>
  );
}
