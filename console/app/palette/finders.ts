import { cleanAddress, isNumber } from "../../data/addresses.ts";
import { api, ask } from "../../data/client.ts";
import { companyId, link } from "../../data/company.ts";
import { navigate } from "../../data/route.ts";
import {
  listCalls,
  listCampaigns,
  listContacts,
  listManagedTemplates,
  searchConversations,
  type StoredContact,
} from "../../data/sdk.ts";
import { moment, phone } from "../../i18n/format.ts";
import { words } from "../../i18n/words.ts";
import type { Command } from "./commands.ts";

/** More of a kind are found in its list. */
const MAX_FOUND = 5;

/** The kinds of things that the API finds by a text. */
export const KINDS = ["people", "campaigns", "templates", "conversations", "calls"] as const;

export type Kind = typeof KINDS[number];

type Find = (text: string, signal: AbortSignal) => Promise<Command[]>;

interface Finder {
  minLength: number;
  /** A test company has nothing of the kind. */
  isOfLive?: boolean;
  find: Find;
}

/** Searches for each kind with one request; the shorter texts find too much. */
export const FINDERS: Record<Kind, Finder> = {
  people: { minLength: 3, find: findPeople },
  campaigns: { minLength: 2, find: findCampaigns },
  templates: { minLength: 2, find: findTemplates },
  conversations: { minLength: 3, isOfLive: true, find: findConversations },
  calls: { minLength: 7, isOfLive: true, find: findCalls },
};

function request(signal: AbortSignal) {
  return { client: api(), path: { company_id: companyId() }, signal };
}

async function findPeople(text: string, signal: AbortSignal): Promise<Command[]> {
  const number = cleanAddress(text);
  const isPartOfNumber = /^[+\d\s().\-/]+$/.test(text);
  if (isPartOfNumber && number.replace(/^0+/, "").length < FINDERS.people.minLength) return [];
  const { contacts } = await ask(
    listContacts({ ...request(signal), query: { search: text, limit: MAX_FOUND } }),
  );
  const found = contacts.map((contact): Command => ({
    ...describePerson(contact),
    icon: "user",
    run: () => navigate(link(["contacts", addressOf(contact) ?? ""])),
  }));
  const isKnown = contacts.some(({ addresses }) => addresses.some(({ address }) => address === number));
  if (!isNumber(number) || isKnown) return found;
  // Messages may have gone to a number that is of no contact.
  return [...found, { title: phone(number), icon: "user", run: () => navigate(link(["contacts", number])) }];
}

function addressOf({ addresses }: StoredContact): string | undefined {
  const by = (kind: string) => addresses.find((each) => each.kind === kind)?.address;
  return by("number") ?? by("user_id") ?? addresses[0]?.address;
}

function describePerson(contact: StoredContact): Pick<Command, "title" | "note"> {
  const address = addressOf(contact) ?? "";
  const shown = isNumber(address) ? phone(address) : address;
  return contact.name ? { title: contact.name, note: shown } : { title: shown };
}

async function findCampaigns(name: string, signal: AbortSignal): Promise<Command[]> {
  const { campaigns } = await ask(listCampaigns({ ...request(signal), query: { name, limit: MAX_FOUND } }));
  return campaigns.map(({ campaign_id, campaign_name, created_at, scheduled_time }) => ({
    title: campaign_name,
    note: moment(scheduled_time ?? created_at),
    icon: "campaign",
    run: () => navigate(link(["campaigns", campaign_id])),
  }));
}

async function findTemplates(text: string, signal: AbortSignal): Promise<Command[]> {
  // Names are in lower case, with underscores.
  const name = text.toLowerCase().replaceAll(/\s+/g, "_");
  const query = { name, limit: MAX_FOUND };
  const { templates } = await ask(listManagedTemplates({ ...request(signal), query }));
  return templates.map(({ template_id, name, language }) => ({
    title: name,
    note: language,
    icon: "page",
    run: () => navigate(link(["templates", template_id])),
  }));
}

async function findConversations(text: string, signal: AbortSignal): Promise<Command[]> {
  const { messages } = await ask(
    searchConversations({ ...request(signal), query: { q: text, limit: MAX_FOUND } }),
  );
  const newest = new Map(messages.toReversed().map((each) => [each.conversation_id, each]));
  return [...newest.values()].reverse().map(({ conversation_id, text, at, kind }) => ({
    title: text,
    note: moment(at),
    icon: kind === "chat" ? "chat" : "bubble",
    run: () => navigate(link(["inbox"], { view: "all", conversation: conversation_id })),
  }));
}

async function findCalls(text: string, signal: AbortSignal): Promise<Command[]> {
  const number = cleanAddress(text);
  if (!isNumber(number)) return [];
  const { calls } = await ask(listCalls({ ...request(signal), query: { number, limit: MAX_FOUND } }));
  return calls.map(({ notification_id, started_at }) => ({
    title: phone(number),
    note: moment(started_at),
    icon: "call",
    run: () => navigate(link(["calls", notification_id])),
  }));
}

/** The headings of what was found. */
export function kindTitle(kind: Kind): string {
  return words().common.found[kind];
}
