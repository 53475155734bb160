import { api, ask } from "../../../data/client.ts";
import { companyId } from "../../../data/company.ts";
import type { PersonQuery } from "../../../data/addresses.ts";
import { useQuery } from "../../../data/query.ts";
import {
  beginConversation,
  getTemplate,
  listManagedTemplates,
  listSenders,
  type ManagedTemplate,
  type Sender,
  type TemplateSummary,
} from "../../../data/sdk.ts";
import type { Values } from "../../../data/template_message.ts";

/** Reads the numbers that can write on WhatsApp. */
export function useWhatsAppSenders(): Sender[] | undefined {
  const path = { company_id: companyId() };
  const { data } = useQuery(
    `senders of inbox ${path.company_id}`,
    (signal) => ask(listSenders({ client: api(), path, query: { limit: 1000 }, signal })),
  );
  return data?.senders.filter(({ channel }) => channel === "whatsapp");
}

/** Reads the approved templates of a number, by name. */
export function useTemplates(sender: Sender | undefined): TemplateSummary[] | undefined {
  const path = { company_id: companyId() };
  const waba_id = sender?.waba_id;
  const { data } = useQuery(`templates for ${sender?.sender_id} ${waba_id}`, async (signal) => {
    if (sender === undefined) return undefined;
    if (!waba_id) return [];
    const query = { waba_id, status: "approved", limit: 1000 } as const;
    const { templates } = await ask(listManagedTemplates({ client: api(), path, query, signal }));
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

/** A template to one person. */
export interface TemplateMessage {
  person: PersonQuery;
  sender: Sender;
  template: ManagedTemplate;
  values: Values;
  campaignName: string;
}

/** Sends it; the conversation is in the inbox once the person replies. */
export async function sendTemplate(
  { person, sender, template, values, campaignName }: TemplateMessage,
): Promise<void> {
  await ask(beginConversation({
    client: api(),
    path: { company_id: companyId() },
    body: {
      contact: { ...person },
      recipient_id: sender.sender_id,
      name_template: template.name,
      language_template: template.language,
      notification_type: template.category.toUpperCase() === "MARKETING" ? "marketing" : "utility",
      campaign_name: campaignName,
      components_push: Object.fromEntries(
        Object.entries(values).filter((entry): entry is [string, string] => Boolean(entry[1])),
      ),
    },
  }));
}
