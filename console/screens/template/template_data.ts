import { api, ask } from "../../data/client.ts";
import { companyId } from "../../data/company.ts";
import { useLive } from "../../data/live/live.ts";
import { type Query, useQuery } from "../../data/query.ts";
import { type AuditEntry, getTemplate, listAudit, type ManagedTemplate } from "../../data/sdk.ts";

/** Reads a template with its parts and the values that a message supplies; its review changes it. */
export function useTemplate(templateId: string): Query<ManagedTemplate> {
  const path = { company_id: companyId(), template_id: templateId };
  const template = useQuery(
    `template ${templateId}`,
    (signal) => ask(getTemplate({ client: api(), path, signal })),
  );
  useLive("template", ({ template_id, ...change }) => {
    if (template_id !== templateId) return;
    template.patch((known) => ({ ...known, ...change as Partial<ManagedTemplate> }));
    template.reload();
  });
  return template;
}

/** Reads who submitted a template, and who changed it by hand. */
export function useTemplateAudit(templateId: string): Query<AuditEntry[]> {
  const path = { company_id: companyId() };
  return useQuery(`template audit ${templateId}`, async (signal) => {
    const query = { subject: templateId };
    return (await ask(listAudit({ client: api(), path, query, signal }))).audit;
  });
}

/** Returns the example of each value, for a preview. */
export function examplesOf({ values }: Pick<ManagedTemplate, "values">): Record<string, string> {
  return Object.fromEntries(values.map(({ name, example }) => [name, example]));
}
