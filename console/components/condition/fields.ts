import type { Condition, ContactAttribute, ContactList } from "../../data/sdk.ts";
import { words } from "../../i18n/words.ts";

export type Operator = NonNullable<Condition["op"]>;

/** The kind of value that a field is compared with. */
export type FieldType =
  | "text"
  | "country"
  | "number"
  | "date"
  | "boolean"
  | "time"
  | "tag"
  | "consent"
  | "opted_out"
  | "list";

/** Something of a person that a condition tests. */
export interface TestField {
  /** As the API names it. */
  name: string;
  label: string;
  type: FieldType;
}

const TEXT: Operator[] = ["is", "is_not", "contains", "starts_with", "is_set", "is_not_set"];

/** The operators of each type, the usual one first; docs/lists.md has the same table. */
export const OPERATORS: Record<FieldType, Operator[]> = {
  text: TEXT,
  country: ["is", "is_not", "is_set", "is_not_set"],
  number: ["is", "is_not", "greater", "less", "is_set", "is_not_set"],
  date: ["is", "is_not", "before", "after", "within_days", "is_set", "is_not_set"],
  boolean: ["is", "is_not", "is_set", "is_not_set"],
  time: ["within_days", "before", "after"],
  tag: ["is", "is_not", "is_set", "is_not_set"],
  consent: ["is", "is_not", "is_set", "is_not_set"],
  opted_out: ["is"],
  list: ["is", "is_not"],
};

const CHANNELS = ["whatsapp", "voice"] as const;
const CATEGORIES = ["marketing", "all"] as const;

/** Returns everything that can be tested, as a choice shows it. */
export function testFields(attributes: ContactAttribute[], lists: ContactList[]): TestField[] {
  const names = words().condition.fields;
  const plain = ([name, type]: [string, FieldType]): TestField => ({ name, label: names[name]!, type });
  const ledger = (kind: "consent" | "opted_out") =>
    CATEGORIES.flatMap((category) =>
      CHANNELS.map((channel): TestField => ({
        name: `${kind}.${channel}.${category}`,
        label: words().condition.ledger[kind](
          words().condition.categories[category],
          words().common.channels[channel],
        ),
        type: kind,
      }))
    );
  return [
    plain(["tag", "tag"]),
    ...lists.length > 0 ? [plain(["list", "list"])] : [],
    ...attributes.map(({ name, type }): TestField => ({ name: `attribute.${name}`, label: name, type })),
    plain(["name", "text"]),
    plain(["country", "country"]),
    plain(["language", "text"]),
    plain(["timezone", "text"]),
    plain(["last_seen_at", "time"]),
    plain(["first_seen_at", "time"]),
    ...ledger("consent"),
    ...ledger("opted_out"),
  ];
}

/** Whether a test with this operator has no value. */
export function hasNoValue(op: Operator): boolean {
  return op === "is_set" || op === "is_not_set";
}
