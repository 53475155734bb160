import { useEffect } from "preact/hooks";
import { api, ask, askWithEtag, ifMatch } from "../../../data/client.ts";
import { companyId } from "../../../data/company.ts";
import { type Query, useQuery } from "../../../data/query.ts";
import {
  createDraft,
  type Draft,
  getDraft,
  listAgents,
  listDrafts,
  listManagedTemplates,
  listSenders,
  removeDraft,
} from "../../../data/sdk.ts";
import type { Choices } from "../draft.ts";
import { choicesOf, type Plan } from "./read_plan.ts";

/** A draft on the server, as it was when it was read or written last. */
export interface StoredDraft {
  draftId: string;
  etag: string;
}

/** A draft that is gone on with. */
export interface OpenedDraft {
  stored: StoredDraft;
  choices: Partial<Choices>;
  /** The draft that the address names. */
  query: Record<"channel" | "template" | "agent" | "sender", string | undefined>;
}

const SHOWN = 5;

/** The last change of a draft that was begun: what is read next has it. */
let lastChange: Promise<unknown> = Promise.resolve();

/** Lets what is read after it wait for a change of a draft. */
export function followChange(change: Promise<unknown>): void {
  lastChange = change.catch(() => {});
}

/** Reads the company's drafts, newest first. */
export function useDrafts(): Query<Draft[]> {
  const path = { company_id: companyId() };
  const drafts = useQuery(`drafts ${path.company_id}`, async (signal) => {
    await lastChange;
    return (await ask(listDrafts({ client: api(), path, query: { limit: SHOWN }, signal }))).drafts;
  });
  useEffect(drafts.reload, []);
  return drafts;
}

/** Reads a draft, and finds what it names. */
export async function openDraft(draftId: string): Promise<OpenedDraft> {
  await lastChange;
  const path = { company_id: companyId(), draft_id: draftId };
  const { plan, etag } = await askWithEtag(getDraft, { path });
  return { stored: { draftId, etag }, choices: choicesOf(plan), query: await findNamed(plan) };
}

async function findNamed(plan: Plan): Promise<OpenedDraft["query"]> {
  const path = { company_id: companyId() };
  const { channel, name_template: name, language_template: language, agent_id, recipient_id } = plan;
  const [templates, agents, { senders }] = await Promise.all([
    typeof name === "string"
      ? ask(listManagedTemplates({ client: api(), path, query: { name, limit: 200 } }))
      : undefined,
    channel === "voice" ? ask(listAgents({ client: api(), path })) : undefined,
    ask(listSenders({ client: api(), path, query: { limit: 200 } })),
  ]);
  const template = templates?.templates.find((each) => each.name === name && each.language === language);
  return {
    channel: channel === "voice" ? "voice" : undefined,
    template: template?.template_id,
    agent: agents?.agents.find((each) => each.agent_id === agent_id)?.agent_id,
    sender: senders.find(({ sender_id, number }) => sender_id === recipient_id || number === recipient_id)
      ?.sender_id,
  };
}

/** Stores a new draft. */
export async function storeDraft(
  company_id: string,
  body: { name: string; plan: Plan },
): Promise<StoredDraft> {
  const { draft_id } = await ask(
    createDraft({
      client: api(),
      path: { company_id },
      body: body as Parameters<typeof createDraft>[0]["body"],
    }),
  );
  const { etag } = await askWithEtag(getDraft, { path: { company_id, draft_id } });
  return { draftId: draft_id, etag };
}

/** Removes a draft, whatever is in it now. */
export async function dropDraft(company_id: string, draft_id: string): Promise<void> {
  await ask(removeDraft({ client: api(), path: { company_id, draft_id }, headers: ifMatch("*") }));
}
