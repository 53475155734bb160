/** The channels that consents and opt-outs are kept for. */
export type AudienceChannel = "whatsapp" | "voice";

/** A column of a contact, or one of its attributes. */
export type ContactText = "name" | "language" | "timezone" | "country" | { attribute: string };

/** The messages that a consent or an opt-out is about: marketing alone, or every message. */
export type LedgerCategory = "marketing" | "all";

/** The demands of a condition on a contact, with everything that a condition names looked up. Each one is true or false, never unknown. */
export type Match =
  | { all: Match[] }
  | { any: Match[] }
  | { not: Match }
  | { text: ContactText; op: "is" | "contains" | "starts_with"; value: string }
  | { has: ContactText | "tags" }
  | { number: string; op: "is" | "greater" | "less"; value: number }
  | { boolean: string; value: boolean }
  /** Both days count; null: any. */
  | { date: string; from: string | null; to: string | null }
  | { time: "first_seen_at" | "last_seen_at"; from: Date | null; before: Date | null }
  | { tag: string }
  /** consent null: either. */
  | { consent: "granted" | "withdrawn" | null; channel: AudienceChannel; category: LedgerCategory }
  | { opted_out: AudienceChannel; category: LedgerCategory }
  /** Has an address of the channel. */
  | { address_on: AudienceChannel }
  /** A list that has members. */
  | { member_of: string }
  | { recipient_of: string };

const KINDS: Record<AudienceChannel, string> = { whatsapp: "'number', 'user_id'", voice: "'number'" };

type Named<Field extends string> = Extract<Match, Record<Field, unknown>>;

/**
 * Returns whether all who meet a condition have an address on a channel, as far as the condition alone shows: a ledger has
 * people by their numbers and user ids, and WhatsApp reaches either.
 */
export function impliesAddress(match: Match, channel: AudienceChannel): boolean {
  if ("all" in match) return match.all.some((part) => impliesAddress(part, channel));
  if ("any" in match) return match.any.every((part) => impliesAddress(part, channel));
  return channel === "whatsapp" && ("consent" in match || "opted_out" in match);
}

/** The parameters of a statement whose text is put together. */
export interface Parameters {
  values: (string | number | boolean)[];
  /** Adds a value; returns its place in the text. */
  add(value: string | number | boolean): string;
  /** The sets of contacts that its conditions ask for, each once: queries of their ids, by what they stand for. */
  sets: Map<string, string>;
}

/** Creates the parameters of a statement. */
export function createParameters(): Parameters {
  const values: Parameters["values"] = [];
  return { values, add: (value) => `$${values.push(value)}`, sets: new Map() };
}

/** Joins the sets that conditions ask for to the rows `c` of `outbound.contacts`. */
export function joinSets({ sets }: Parameters): string {
  return [...sets.values()].map((set, index) =>
    `left join (${set}) as ${setName(index)}(id) on ${setName(index)}.id = c.id`
  ).join("\n");
}

function setName(index: number): string {
  return `set_${index}`;
}

/**
 * Returns the condition in SQL on a row `c` of `outbound.contacts` and the sets joined to it. No text of a caller gets into
 * it.
 *
 * @param ofFew looks each contact up in the sets, which are not joined then
 */
export function matchSql(
  match: Match,
  { companyId, add, sets, ofFew = false }: Parameters & { companyId: string; ofFew?: boolean },
): string {
  const text = (value: string) => `${add(value)}::text`;
  const uuid = (value: string) => `${add(value)}::text::uuid`;
  const company = () => uuid(companyId);

  function textOf(source: ContactText): string {
    return typeof source === "string" ? `c.${source}` : `(c.attributes ->> ${text(source.attribute)})`;
  }

  function typedValue(name: string, type: "number" | "boolean"): string {
    const value = text(name);
    const cast = type === "number" ? "numeric" : "boolean";
    return `case when jsonb_typeof(c.attributes -> ${value}) = '${type}' then (c.attributes ->> ${value})::${cast} end`;
  }

  function sqlOf(node: Match): string {
    if ("all" in node) return joined(node.all, " and ", "true");
    if ("any" in node) return joined(node.any, " or ", "false");
    if ("not" in node) return `not ${sqlOf(node.not)}`;
    if ("text" in node) return textSql(node);
    if ("has" in node) {
      return node.has === "tags" ? "c.tags <> '{}'" : `coalesce(${textOf(node.has)}, '') <> ''`;
    }
    if ("number" in node) {
      const operator = { is: "=", greater: ">", less: "<" }[node.op];
      return `coalesce(${typedValue(node.number, "number")} ${operator} ${
        add(node.value)
      }::float8::numeric, false)`;
    }
    if ("boolean" in node) {
      return `coalesce(${typedValue(node.boolean, "boolean")} = ${add(node.value)}::boolean, false)`;
    }
    if ("date" in node) return dateSql(node);
    if ("time" in node) return timeSql(node);
    if ("tag" in node) return `c.tags @> array[${text(node.tag)}]`;
    if ("consent" in node) return consentSql(node);
    if ("opted_out" in node) return optedOutSql(node);
    if ("address_on" in node) return addressSql(node);
    if ("member_of" in node) return memberSql(node);
    return recipientSql(node);
  }

  /** A set has each contact once. */
  function inSet(node: Match, setSql: () => string): string {
    if (ofFew) return `exists (${setSql()})`;
    const key = JSON.stringify(node);
    if (!sets.has(key)) sets.set(key, setSql());
    return `${setName([...sets.keys()].indexOf(key))}.id is not null`;
  }

  function addressSql(node: Named<"address_on">): string {
    return inSet(node, () => `
      select a.contact_id from outbound.contact_addresses as a
      where a.company_id = ${company()} and a.kind in (${KINDS[node.address_on]}) ${only("a.contact_id")}
      group by a.contact_id`);
  }

  function memberSql(node: Named<"member_of">): string {
    return inSet(node, () => `
      select m.contact_id from outbound.contact_list_members as m
      where m.company_id = ${company()} and m.list_id = ${uuid(node.member_of)} ${only("m.contact_id")}`);
  }

  /** All recipients are read for a few contacts too. */
  function recipientSql(node: Named<"recipient_of">): string {
    const recipients = () => `outbound.contacts_of_campaign(${company()}, ${uuid(node.recipient_of)})`;
    return ofFew
      ? `c.id in (select ${recipients()})`
      : inSet(node, () => `select distinct r.id from ${recipients()} as r(id)`);
  }

  function only(contactId: string): string {
    return ofFew ? `and ${contactId} = c.id` : "";
  }

  function joined(nodes: Match[], operator: string, none: string): string {
    return nodes.length === 0 ? none : `(${nodes.map(sqlOf).join(operator)})`;
  }

  function textSql({ text: source, op, value }: Named<"text">): string {
    const [own, wanted] = [`lower(${textOf(source)})`, `lower(${text(value)})`];
    const found = { is: `${own} = ${wanted}`, contains: `strpos(${own}, ${wanted}) > 0` };
    return `coalesce(${op === "starts_with" ? `starts_with(${own}, ${wanted})` : found[op]}, false)`;
  }

  /** Days in this form are in the order of their letters. */
  function dateSql({ date, from, to }: Named<"date">): string {
    const own = `(c.attributes ->> ${text(date)}) collate "C"`;
    const bounds = [
      ...from === null ? [] : [`${own} >= ${text(from)}`],
      ...to === null ? [] : [`${own} <= ${text(to)}`],
    ];
    return `coalesce(${bounds.join(" and ")}, false)`;
  }

  function timeSql({ time, from, before }: Named<"time">): string {
    const at = (value: Date) => `${add(value.toISOString())}::text::timestamptz`;
    const bounds = [
      ...from === null ? [] : [`c.${time} >= ${at(from)}`],
      ...before === null ? [] : [`c.${time} < ${at(before)}`],
    ];
    return `(${bounds.join(" and ")})`;
  }

  /** The contacts of whom a ledger has something, under any number or user id. */
  function ledgerSql(
    ledger: string,
    { channel, category }: { channel: AudienceChannel; category: LedgerCategory },
  ): string {
    return `
      select a.contact_id from outbound.${ledger} as k
      join outbound.contact_addresses as a on a.company_id = ${company()} and a.address = k.address
        and a.kind in ('number', 'user_id') ${only("a.contact_id")}
      where k.company_id = ${company()} and k.channel in ('any', ${text(channel)})
      ${category === "all" ? "and k.category = 'all'" : ""}`;
  }

  /** As outbound.is_consent_given: the latest of a person's addresses counts; at the same time, the withdrawal. */
  function consentSql(node: Named<"consent">): string {
    const latest = (status: string) => `max(k.consented_at) filter (where k.status = '${status}')`;
    const isLatest = {
      granted: `having ${latest("granted")} > coalesce(${latest("withdrawn")}, '-infinity')`,
      withdrawn: `having ${latest("withdrawn")} >= coalesce(${latest("granted")}, '-infinity')`,
    };
    return inSet(node, () => `
      ${ledgerSql("consents", node)} group by a.contact_id ${node.consent ? isLatest[node.consent] : ""}`);
  }

  /** All: few have opted out, so they are looked up, where consents are merged with all addresses. */
  function optedOutSql(node: Named<"opted_out">): string {
    const { opted_out: channel, category } = node;
    return inSet(
      node,
      () =>
        ofFew
          ? `${ledgerSql("suppressions", { channel, category })} and k.lifted_at is null`
          : `select distinct o.id from outbound.opted_out_contacts(${company()}, ${text(channel)}, ${
            text(category)
          }) as o(id)`,
    );
  }

  return sqlOf(match);
}
