import { api, ask } from "../../../data/client.ts";
import { companyId } from "../../../data/company.ts";
import { useQuery } from "../../../data/query.ts";
import {
  createUpload,
  getTemplate,
  type InboxConversation,
  listManagedTemplates,
  listSenders,
  type ManagedTemplate,
  sendUploadFile,
  type TemplateSummary,
} from "../../../data/sdk.ts";
import type { Values } from "../../../data/template_message.ts";

/** Reads the approved templates of the number that a person wrote to, by name. */
export function useTemplates({ sender_id }: InboxConversation): TemplateSummary[] | undefined {
  const company_id = companyId();
  const { data } = useQuery(`templates for ${sender_id}`, async (signal) => {
    const request = { client: api(), path: { company_id }, signal };
    const { senders } = await ask(listSenders({ ...request, query: { limit: 1000 } }));
    const waba_id = senders.find((each) => each.sender_id === sender_id)?.waba_id;
    if (!waba_id) return [];
    const query = { waba_id, status: "approved", limit: 1000 } as const;
    const { templates } = await ask(listManagedTemplates({ ...request, query }));
    return templates.toSorted((a, b) => a.name.localeCompare(b.name));
  });
  return data;
}

/** Reads one with its parts, and the values that it needs. */
export function useTemplate(templateId: string | undefined): ManagedTemplate | undefined {
  const path = { company_id: companyId(), template_id: templateId ?? "" };
  const { data } = useQuery(`template ${templateId}`, async (signal) => {
    if (templateId === undefined) return undefined;
    return await ask(getTemplate({ client: api(), path, signal }));
  });
  return data;
}

/** A template to one person: a campaign of one. */
export interface TemplateReply {
  conversation: InboxConversation;
  template: ManagedTemplate;
  values: Values;
  campaignName: string;
}

/** Sends it, and returns why the person is refused, if so. */
export async function sendTemplate(
  { conversation, template, values, campaignName }: TemplateReply,
): Promise<string | undefined> {
  const { number, user_id, sender_id } = conversation;
  const column = number === null ? "user_id" : "number";
  const { upload_id } = await ask(createUpload({
    client: api(),
    path: { company_id: companyId() },
    body: {
      channel: "whatsapp",
      name_template: template.name,
      language_template: template.language,
      recipient_id: sender_id!,
      notification_type: template.category.toUpperCase() === "MARKETING" ? "marketing" : "utility",
      campaign_name: campaignName,
      components_push: Object.fromEntries(
        Object.entries(values).filter((entry): entry is [string, string] => Boolean(entry[1])),
      ),
      columns: { [column]: column },
    },
  }));
  const sent = await ask(sendUploadFile({
    client: api(),
    path: { company_id: companyId(), upload_id },
    body: `${column}\n${number ?? user_id}\n`,
  }));
  return "problems" in sent ? sent.problems[0]?.reason : undefined;
}
