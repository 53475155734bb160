import type {
  Agent,
  Audience as SentAudience,
  ChatUpload,
  Condition,
  ManagedTemplate,
  Sender,
  VoiceUpload,
} from "../../data/sdk.ts";
import type { Values } from "../../data/template_message.ts";
import { givenVariables, type Variables } from "./steps/agent_variables.ts";
import { type Cells, type ContactFile, TYPED_NAME } from "./upload/contact_file.ts";

/** Where a field of the message comes from: a column of the file, or a text that is the same for all. */
export type Source = { kind: "column"; column: string } | { kind: "text"; text: string };

/** By the API's names of the fields: `number`, `body_text_0`. */
export type Sources = Record<string, Source>;

export type NotificationType = ChatUpload["notification_type"];

/** Stored people: everyone of a list, with a tag, or of a condition that the API was given. */
export type Audience =
  & ({ kind: "list"; listId: string } | { kind: "tag"; tag: string } | {
    kind: "condition";
    condition: Condition;
  })
  & { except: NonNullable<SentAudience["except"]> };

/** People that are stored: their fields are columns. */
export interface AudiencePeople {
  audience: Audience;
  columns: string[];
  rows: Cells[];
}

/** Whom a campaign goes to. */
export type People = ContactFile | AudiencePeople;

/** The choices besides message, sender and file. */
export interface Choices {
  /** Undefined: a file has the people. */
  audience: Audience | undefined;
  sources: Sources;
  /** For calls. */
  variables: Variables;
  /** Columns that come back in the campaign's file of recipients. */
  kept: string[];
  campaignName: string;
  /** Undefined: what fits the template. */
  type: NotificationType | undefined;
  /** At once, at one time for all, or at an hour on the clock of each person. */
  start: "now" | "later" | "recipient";
  /** Where it is later: `2030-01-31T09:00` in `zone`. */
  at: string;
  zone: string;
  /** On each person's clock: `09:00`. */
  hour: string;
  /** The first day for such an hour; empty: as soon as it is that hour. */
  day: string;
  /** 0: at once. */
  spreadHours: number;
  duplicates: "refuse" | "accept";
  /** Of numbers without a country code; undefined: that of the sender's number. */
  country: string | undefined;
}

/** A message of a template, or a call of an agent. */
export type Content = { channel: "whatsapp"; template: ManagedTemplate } | { channel: "voice"; agent: Agent };

/** All that an upload needs. */
export interface Ready {
  content: Content;
  sender: Sender;
  people: People;
  choices: Choices;
}

/** A campaign as far as it is written. */
export interface Unready {
  content: Content | undefined;
  sender: Sender | undefined;
  choices: Choices;
}

/** The field that names the recipient. */
export const NUMBER = "number";

/** The fields of this name and a key are kept with a message. */
export const METADATA = "metadata.";

/** Whether people are stored, not in a file. */
export function isStored(people: People): people is AudiencePeople {
  return "audience" in people;
}

/** Returns the column of the recipients' numbers, if one is chosen. */
export function numberColumn(sources: Sources): string | undefined {
  const source = sources[NUMBER];
  return source?.kind === "column" ? source.column : undefined;
}

/** Returns what fits the template where nothing is chosen. */
export function typeOf(content: Content, chosen: NotificationType | undefined): NotificationType {
  if (content.channel === "voice") return chosen === "marketing" ? "marketing" : "transactional";
  return chosen ?? (content.template.category === "MARKETING" ? "marketing" : "utility");
}

/** Returns the fields that have no source yet. */
export function missingFields(
  { content, choices: { sources, audience } }: Pick<Ready, "content" | "choices">,
): string[] {
  const needed = content.channel === "whatsapp"
    ? content.template.values.filter(({ required }) => required).map(({ name }) => name)
    : [];
  return [...audience ? [] : [NUMBER], ...needed].filter((name) => !isFilled(sources[name]));
}

function isFilled(source: Source | undefined): boolean {
  return source !== undefined && (source.kind === "column" || source.text.trim() !== "");
}

/** Returns the body of `POST …/uploads`. */
export function planOf({ content, sender, people, choices }: Ready): ChatUpload | VoiceUpload {
  const name = isStored(people) ? TYPED_NAME : people.name;
  return {
    ...unreadyPlan({ content, sender, choices }) as ChatUpload | VoiceUpload,
    ...(name !== TYPED_NAME && { file_name: name }),
  };
}

/** The longest key of metadata. */
const MAX_KEY = 100;

/** Returns that body as far as it is written, for a draft. */
export function unreadyPlan({ content, sender, choices }: Unready): Record<string, unknown> {
  const { sources, variables, kept, campaignName, duplicates, type, country, audience } = choices;
  const isCall = content?.channel === "voice";
  const given = Object.entries(sources).filter(([name, source]) =>
    isFilled(source) && !(audience && name === NUMBER)
  );
  const columns = given.flatMap(([name, source]) => source.kind === "column" ? [[name, source.column]] : []);
  const texts = given.flatMap(([name, source]) => source.kind === "text" ? [[name, source.text]] : []);
  const ofReport = kept.map((column) => [`${METADATA}${column.slice(0, MAX_KEY)}`, column]);
  const ofAgent = givenVariables(variables, audience ? undefined : numberColumn(sources))
    .map(({ column, name }) => [name, column]);
  const kind = content ? typeOf(content, type) : type;
  const name = campaignName.trim();
  return {
    channel: content?.channel ?? "whatsapp",
    ...(content && (isCall ? { agent_id: content.agent.agent_id } : {
      name_template: content.template.name,
      language_template: content.template.language,
    })),
    ...(kind && { notification_type: kind }),
    ...(sender && { recipient_id: sender.sender_id }),
    ...(name && { campaign_name: name }),
    ...(audience ? { audience: sentAudience(audience) } : { duplicates, ...(country && { country }) }),
    columns: Object.fromEntries([...isCall ? ofAgent : [], ...columns, ...ofReport]),
    ...timesOf(choices),
    ...(!isCall && { components_push: Object.fromEntries(texts) }),
  };
}

function timesOf({ start, at, zone, hour, day, spreadHours }: Choices): Record<string, string> {
  return {
    ...(start === "later" && at && { datetime_sending: `${at}:00`.slice(0, 19), timezone: zone }),
    ...(start === "recipient" && hour && {
      recipient_time: hour,
      ...(day && { datetime_sending: `${day}T${hour}:00`.slice(0, 19) }),
      timezone: zone,
    }),
    ...(spreadHours > 0 && { spread_over: `PT${spreadHours}H` }),
  };
}

/** Returns an audience as the API takes it. */
export function sentAudience(audience: Audience): SentAudience {
  const except = audience.except.length === 0 ? {} : { except: audience.except };
  if (audience.kind === "list") return { list_id: audience.listId, ...except };
  const condition = audience.kind === "tag"
    ? { field: "tag", op: "is" as const, value: audience.tag.trim() }
    : audience.condition;
  return { condition, ...except };
}

/** Returns the values of one row, for a preview. */
export function valuesOf(sources: Sources, row: Cells | undefined): Values {
  return Object.fromEntries(
    Object.entries(sources).map(([name, source]) => [
      name,
      source.kind === "text" ? source.text : row?.[source.column],
    ]),
  );
}
