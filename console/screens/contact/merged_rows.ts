import type { StoredContact } from "../../data/sdk.ts";
import { attributeText } from "../contacts/contact_text.ts";
import { titleOf } from "./address_title.ts";
import { country, languageName } from "../../i18n/format.ts";
import { words } from "../../i18n/words.ts";

/** A field of two contacts, and of the one that they become. */
interface MergedRow {
  name: string;
  own: string;
  others: string;
  result: string;
}

/** Returns what each field is before and after: the contact's own values win; addresses and tags add up. */
export function mergedRows(contact: StoredContact, other: StoredContact): MergedRow[] {
  const names = words().contacts;
  const single = (name: string, own: string, others: string) => ({
    name,
    own,
    others,
    result: own || others,
  });
  const several = (name: string, own: string[], others: string[]) => ({
    name,
    own: own.join(", "),
    others: others.join(", "),
    result: [...new Set([...own, ...others])].join(", "),
  });
  const addresses = (of: StoredContact) => of.addresses.map(({ address }) => titleOf(address));
  const attributes = [...new Set([contact, other].flatMap((each) => Object.keys(each.attributes)))].sort();
  const value = (of: StoredContact, name: string) =>
    of.attributes[name] === undefined ? "" : attributeText(of.attributes[name]);
  return [
    single(names.name, contact.name ?? "", other.name ?? ""),
    several(words().contact.addresses, addresses(contact), addresses(other)),
    several(names.tags, contact.tags, other.tags),
    single(names.language, languageOf(contact), languageOf(other)),
    single(names.countryShort, countryOf(contact), countryOf(other)),
    single(names.zone, contact.timezone ?? "", other.timezone ?? ""),
    ...attributes.map((name) => single(name, value(contact, name), value(other, name))),
  ].filter(({ result }) => result !== "");
}

function languageOf({ language }: StoredContact): string {
  return language === null ? "" : languageName(language);
}

function countryOf(contact: StoredContact): string {
  return contact.country === null ? "" : country(contact.country);
}
