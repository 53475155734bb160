import { link, may } from "../../data/company.ts";
import { useAttributes, useLists } from "../../data/people.ts";
import type { ContactAttribute } from "../../data/sdk.ts";
import { InlineField } from "../../components/form/inline_field.tsx";
import { Section } from "../../components/page_head.tsx";
import { Time } from "../../components/time.tsx";
import { countryOptions } from "../../i18n/countries.ts";
import { country, languageName } from "../../i18n/format.ts";
import { attributeText, typedValue } from "../contacts/contact_text.ts";
import { Addresses } from "./addresses.tsx";
import type { Change, Contact } from "./contact_data.ts";
import { TagEditor } from "./tag_editor.tsx";
import { words } from "../../i18n/words.ts";

const LANGUAGE = /^[a-z]{2,3}([_-][A-Za-z0-9]{2,8}){0,3}$/;

/** The fields of a contact; an operator changes each where it stands. */
export function Details({ contact, change }: { contact: Contact; change: Change }) {
  const attributes = useAttributes().data ?? [];
  const names = words().contacts;
  const canEdit = may("operator");
  const text = (name: "name" | "language" | "timezone" | "country") => (value: string) =>
    change({ [name]: value === "" ? null : value });
  return (
    <>
      <Section title={words().contact.details}>
        <dl class="inline-fields">
          <InlineField
            label={names.name}
            value={contact.name ?? ""}
            canEdit={canEdit}
            onSave={text("name")}
          />
          <InlineField
            label={names.language}
            value={contact.language ?? ""}
            shown={contact.language ? languageName(contact.language) : ""}
            placeholder="es, pt_BR"
            canEdit={canEdit}
            check={(value) => LANGUAGE.test(value) ? undefined : words().common.expected("es, pt_BR")}
            onSave={text("language")}
          />
          <InlineField
            label={names.countryShort}
            value={contact.country ?? ""}
            shown={contact.country ? country(contact.country) : ""}
            options={countryOptions()}
            canEdit={canEdit}
            onSave={text("country")}
          />
          <InlineField
            label={names.zone}
            value={contact.timezone ?? ""}
            options={Intl.supportedValuesOf("timeZone").map((zone) => [zone, zone.replaceAll("_", " ")])}
            canEdit={canEdit}
            onSave={text("timezone")}
          />
          {attributes.map((attribute) => (
            <Attribute key={attribute.name} {...{ attribute, contact, change, canEdit }} />
          ))}
        </dl>
      </Section>
      <Section title={names.tags}>
        <TagEditor tags={contact.tags} change={change} />
      </Section>
      <Section title={words().contact.addresses}>
        <Addresses contact={contact} change={change} />
      </Section>
      <Lists contact={contact} />
      <p class="help">
        {words().contact.sources[contact.source]} <Time at={contact.first_seen_at} />. {names.lastSeen}{" "}
        <Time at={contact.last_seen_at} />.
      </p>
    </>
  );
}

function Attribute({ attribute: { name, type }, contact, change, canEdit }: {
  attribute: ContactAttribute;
  contact: Contact;
  change: Change;
  canEdit: boolean;
}) {
  const value = contact.attributes[name];
  const { yes, no } = words().condition;
  return (
    <InlineField
      label={name}
      value={value === undefined ? "" : String(value)}
      shown={value === undefined ? "" : attributeText(value)}
      type={type === "number" || type === "date" ? type : "text"}
      options={type === "boolean" ? [["true", yes], ["false", no]] : undefined}
      canEdit={canEdit}
      onSave={(typed) => change({ attributes: { [name]: typedValue(typed, type) } })}
    />
  );
}

function Lists({ contact: { list_ids } }: { contact: Contact }) {
  const lists = useLists().data?.filter(({ list_id }) => list_ids.includes(list_id)) ?? [];
  if (lists.length === 0) return null;
  return (
    <Section title={words().lists.title}>
      <ul class="plain-list">
        {lists.map(({ list_id, name }) => (
          <li key={list_id}>
            <a href={link(["lists", list_id])}>{name}</a>
          </li>
        ))}
      </ul>
    </Section>
  );
}
