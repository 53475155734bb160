import { api, ask } from "../../data/client.ts";
import { companyId } from "../../data/company.ts";
import { route } from "../../data/route.ts";
import { useQuery } from "../../data/query.ts";
import { getTemplate, listAgents, type ManagedTemplate, type Sender } from "../../data/sdk.ts";
import { useSenders } from "../senders/sender_list.ts";
import { useTemplates } from "../templates/template_list.ts";
import type { Content } from "./draft.ts";
import type { MessageLists } from "./steps/message_step.tsx";

/** The message or the agent in the address, and the number it comes from. */
export interface Chosen {
  lists: MessageLists;
  content: Content | undefined;
  /** The senders that fit it. */
  senders: Sender[];
  sender: Sender | undefined;
}

/** Reads what can be sent, and finds what the address chooses: `template` or `agent`, and `sender`. */
export function useChosen(): Chosen {
  const { channel = "whatsapp", template: templateId, agent: agentId, sender: senderId } = route.value.query;
  const path = { company_id: companyId() };
  const templates = useTemplates({});
  const all = useSenders({}).rows?.filter(({ status }) => status === "active");
  const agents = useQuery(
    `agents ${path.company_id} active`,
    async (signal) =>
      (await ask(listAgents({ client: api(), path, query: { status: "active" }, signal }))).agents,
  ).data;
  const template = useChosenTemplate(templateId);
  const agent = agents?.find(({ agent_id }) => agent_id === agentId);
  const content: Content | undefined = channel === "voice"
    ? agent && { channel, agent }
    : template && { channel: "whatsapp", template };
  const senders = (all ?? []).filter((each) =>
    each.channel === channel && (content?.channel !== "whatsapp" || each.waba_id === content.template.waba_id)
  );
  const sender = senders.find(({ sender_id }) => sender_id === senderId) ?? senders[0];
  return { lists: { templates, agents, senders: all }, content, senders, sender };
}

function useChosenTemplate(templateId: string | undefined): ManagedTemplate | undefined {
  const path = { company_id: companyId(), template_id: templateId ?? "" };
  return useQuery(
    `template ${templateId ?? ""}`,
    async (signal) =>
      templateId === undefined ? undefined : await ask(getTemplate({ client: api(), path, signal })),
  ).data;
}
