import type { Agent, ChatUpload, ManagedTemplate, Sender, VoiceUpload } from "../../data/sdk.ts";
import type { Values } from "../../data/template_message.ts";
import { givenVariables, type Variables } from "./steps/agent_variables.ts";
import type { Cells, ContactFile } from "./upload/contact_file.ts";

/** Where a field of the message comes from: a column of the file, or a text that is the same for all. */
export type Source = { kind: "column"; column: string } | { kind: "text"; text: string };

/** By the API's names of the fields: `number`, `body_text_0`. */
export type Sources = Record<string, Source>;

export type NotificationType = ChatUpload["notification_type"];

/** The choices besides message, sender and file. */
export interface Choices {
  sources: Sources;
  /** For calls. */
  variables: Variables;
  campaignName: string;
  /** Undefined: what fits the template. */
  type: NotificationType | undefined;
  isLater: boolean;
  /** Where it is later: `2030-01-31T09:00` in `zone`. */
  at: string;
  zone: string;
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
  file: ContactFile;
  choices: Choices;
}

/** The field that names the recipient. */
export const NUMBER = "number";

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
  { content, choices: { sources } }: Pick<Ready, "content" | "choices">,
): string[] {
  const needed = content.channel === "whatsapp"
    ? content.template.values.filter(({ required }) => required).map(({ name }) => name)
    : [];
  return [NUMBER, ...needed].filter((name) => !isFilled(sources[name]));
}

function isFilled(source: Source | undefined): boolean {
  return source !== undefined && (source.kind === "column" || source.text.trim() !== "");
}

/** Returns the body of `POST …/uploads`. */
export function planOf({ content, sender, choices }: Ready): ChatUpload | VoiceUpload {
  const { sources, variables, campaignName, isLater, at, zone, duplicates, type, country } = choices;
  const given = Object.entries(sources).filter(([, source]) => isFilled(source));
  const columns = given.flatMap(([name, source]) => source.kind === "column" ? [[name, source.column]] : []);
  const texts = given.flatMap(([name, source]) => source.kind === "text" ? [[name, source.text]] : []);
  const common = {
    recipient_id: sender.sender_id,
    campaign_name: campaignName.trim(),
    duplicates,
    ...(country !== undefined && { country }),
    columns: Object.fromEntries(columns) as Record<string, string>,
    ...(isLater && { datetime_sending: `${at}:00`.slice(0, 19), timezone: zone }),
  };
  if (content.channel === "voice") {
    return {
      channel: "voice",
      agent_id: content.agent.agent_id,
      notification_type: typeOf(content, type) === "marketing" ? "marketing" : "transactional",
      ...common,
      columns: {
        ...Object.fromEntries(
          givenVariables(variables, numberColumn(sources)).map(({ column, name }) => [name, column]),
        ),
        ...common.columns,
      },
    };
  }
  const { name, language } = content.template;
  return {
    channel: "whatsapp",
    name_template: name,
    language_template: language,
    notification_type: typeOf(content, type),
    ...common,
    components_push: Object.fromEntries(texts),
  };
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
