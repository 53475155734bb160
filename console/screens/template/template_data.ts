import { api, ask } from "../../data/client.ts";
import { companyId } from "../../data/company.ts";
import { useLive } from "../../data/live/live.ts";
import { type Query, useQuery } from "../../data/query.ts";
import {
  type AuditEntry,
  getTemplate,
  listAudit,
  listManagedTemplates,
  type ManagedTemplate,
  type TemplateSummary,
} from "../../data/sdk.ts";
import { stemOf } from "../new_template/draft.ts";

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

/** Reads the languages and the versions of a template, itself among them, by name and language. */
export function useVersions({ waba_id, name }: ManagedTemplate): Query<TemplateSummary[]> {
  const path = { company_id: companyId() };
  const stem = stemOf(name);
  return useQuery(`template versions ${waba_id} ${stem}`, async (signal) => {
    const query = { name: stem, waba_id, limit: 1000 };
    const { templates } = await ask(listManagedTemplates({ client: api(), path, query, signal }));
    return templates.filter((each) => stemOf(each.name) === stem)
      .sort((a, b) => a.name.localeCompare(b.name) || a.language.localeCompare(b.language));
  });
}

/** Returns the example of each value, for a preview. */
export function examplesOf({ values }: Pick<ManagedTemplate, "values">): Record<string, string> {
  return Object.fromEntries(values.map(({ name, example }) => [name, example]));
}
