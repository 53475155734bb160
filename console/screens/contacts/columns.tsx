import type { ContactAttribute, StoredContact } from "../../data/sdk.ts";
import { addressOf } from "../../data/contact_text.ts";
import type { Column } from "../../components/table/columns.ts";
import { timeColumn } from "../../components/table/time_column.tsx";
import { country, languageName, phone } from "../../i18n/format.ts";
import { attributeText, nameOf } from "./contact_text.ts";
import { words } from "../../i18n/words.ts";

/** The columns of people: what every contact has, and the attributes that the member chose. */
export function peopleColumns(chosen: ContactAttribute[]): Column<StoredContact>[] {
  const names = words().contacts;
  return [
    { name: "name", title: names.name, cell: nameOf },
    {
      name: "number",
      title: words().common.number,
      width: "168px",
      cell: (row) => {
        const number = addressOf(row, "number");
        return number === undefined ? addressOf(row, "email", "user_id") ?? "–" : phone(number);
      },
    },
    {
      name: "country",
      title: names.countryShort,
      width: "128px",
      from: "full",
      cell: (row) => row.country ? country(row.country) : "–",
    },
    {
      name: "language",
      title: names.language,
      width: "104px",
      from: "full",
      cell: ({ language }) => language ? languageName(language) : "–",
    },
    { name: "tags", title: names.tags, from: "wide", cell: ({ tags }) => <Tags tags={tags} /> },
    ...chosen.map(({ name }): Column<StoredContact> => ({
      name: `attribute.${name}`,
      title: name,
      from: "wide",
      cell: ({ attributes }) => attributeText(attributes[name]),
    })),
    {
      name: "state",
      title: names.state,
      width: "136px",
      from: "wide",
      cell: (row) => <Standing contact={row} />,
    },
    timeColumn("seen", names.lastSeen, ({ last_seen_at }) => last_seen_at),
  ];
}

/** Whether messages may go to a person: an opt-out, a consent, or neither. */
export function Standing({ contact }: { contact: Pick<StoredContact, "opted_out" | "consent"> }) {
  const { opted_out, consent } = contact;
  if (opted_out !== null) {
    return (
      <span class="badge bad" title={words().contact.noMore[opted_out]}>{words().contact.optedOut}</span>
    );
  }
  if (consent === null) return <span class="none">–</span>;
  const tone = consent === "granted" ? "good" : "warn";
  return <span class={`badge ${tone}`}>{words().common.statuses[consent]}</span>;
}

function Tags({ tags }: { tags: string[] }) {
  return (
    <span title={tags.join(", ")}>{tags.map((tag) => <span key={tag} class="badge tag">{tag}</span>)}</span>
  );
}
