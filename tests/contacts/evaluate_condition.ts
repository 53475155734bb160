import type { Condition, ConditionTest } from "../../supabase/functions/_shared/audiences/condition.ts";
import type { ContactFixture } from "../setup/fixtures/people.ts";

type Channel = "any" | "whatsapp" | "voice";
type Category = "marketing" | "all";

/** Everything that a condition may be about, as plain values. */
export interface People {
  now: Date;
  contacts: ContactFixture[];
  attributes: Record<string, "text" | "number" | "date" | "boolean">;
  consents: {
    address: string;
    channel: Channel;
    category: Category;
    status: "granted" | "withdrawn";
    at: Date;
  }[];
  /** Those that were not lifted. */
  suppressions: { address: string; channel: Channel; category: Category }[];
  lists: Map<string, { members: Set<string> } | { condition: Condition }>;
}

/** Returns whether a contact meets a condition, in the plainest way. */
export function meets(condition: Condition, contact: ContactFixture, people: People): boolean {
  if ("all" in condition) return condition.all.every((each) => meets(each, contact, people));
  if ("any" in condition) return condition.any.some((each) => meets(each, contact, people));
  if ("not" in condition) return !meets(condition.not, contact, people);
  const negated: Partial<Record<ConditionTest["op"], ConditionTest["op"]>> = {
    is_not: "is",
    is_not_set: "is_set",
  };
  const op = negated[condition.op];
  return op === undefined ? holds(condition, contact, people) : !holds({ ...condition, op }, contact, people);
}

const DAY_MS = 86_400_000;
const dayOf = (at: Date) => at.toISOString().slice(0, 10);

function holds({ field, op, value }: ConditionTest, contact: ContactFixture, people: People): boolean {
  const [kind, ...rest] = field.split(".");
  const [channel, category] = rest as [Channel, Category];
  switch (kind) {
    case "tag":
      return op === "is_set" ? contact.tags.length > 0 : contact.tags.includes(value as string);
    case "list": {
      const list = people.lists.get(value as string)!;
      return "members" in list ? list.members.has(contact.id) : meets(list.condition, contact, people);
    }
    case "opted_out":
      return value ===
        addressesOf(contact).some((address) =>
          people.suppressions.some((entry) =>
            entry.address === address && (entry.channel === "any" || entry.channel === channel) &&
            (category === "marketing" || entry.category === "all")
          )
        );
    case "consent": {
      const latest = latestConsent(contact, people, { channel, category });
      return op === "is_set" ? latest !== null : latest === value;
    }
    case "first_seen_at":
    case "last_seen_at": {
      const at = contact[kind];
      if (op === "is_set") return true;
      if (op === "within_days") return people.now.getTime() - at.getTime() <= Number(value) * DAY_MS;
      return op === "before" ? dayOf(at) < String(value) : dayOf(at) > String(value);
    }
    case "attribute":
      return ofType(
        people.attributes[rest.join(".")]!,
        contact.attributes[rest.join(".")],
        { op, value },
        people.now,
      );
    default:
      return ofType("text", contact[kind as "name"], { op, value }, people.now);
  }
}

function ofType(
  type: "text" | "number" | "date" | "boolean",
  own: string | number | boolean | null | undefined,
  { op, value }: Pick<ConditionTest, "op" | "value">,
  now: Date,
): boolean {
  if (own === undefined || own === null || own === "") return false;
  if (op === "is_set") return true;
  if (type === "boolean") return own === value;
  if (type === "number") {
    return op === "greater" ? own > value! : op === "less" ? own < value! : own === value;
  }
  if (type === "date") {
    if (op === "within_days") {
      const other = dayOf(new Date(now.getTime() - Number(value) * DAY_MS));
      const [from, to] = [dayOf(now), other].sort();
      return from! <= String(own) && String(own) <= to!;
    }
    return op === "before" ? own < value! : op === "after" ? own > value! : own === value;
  }
  const [text, wanted] = [String(own).toLowerCase(), String(value).toLowerCase()];
  if (op === "contains") return text.includes(wanted);
  return op === "starts_with" ? text.startsWith(wanted) : text === wanted;
}

function addressesOf({ addresses }: ContactFixture): string[] {
  return addresses.filter(({ kind }) => kind === "number" || kind === "user_id").map(({ address }) =>
    address
  );
}

function latestConsent(
  contact: ContactFixture,
  { consents }: People,
  { channel, category }: { channel: Channel; category: Category },
): "granted" | "withdrawn" | null {
  const found = consents.filter((entry) =>
    addressesOf(contact).includes(entry.address) && (entry.channel === "any" || entry.channel === channel) &&
    (category === "marketing" || entry.category === "all")
  );
  const last = Math.max(...found.map(({ at }) => at.getTime()));
  const latest = found.filter(({ at }) => at.getTime() === last).map(({ status }) => status);
  return latest.length === 0 ? null : latest.includes("withdrawn") ? "withdrawn" : "granted";
}
