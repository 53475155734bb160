import type { List } from "../../data/list.ts";
import type { TemplateSummary } from "../../data/sdk.ts";

/** The languages of one template: they share an account and a name. The newest is first. */
export interface TemplateGroup {
  name: string;
  languages: TemplateSummary[];
}

/** Brings the languages of a template together, where the first of them is in the list. */
export function grouped(list: List<TemplateSummary>): List<TemplateGroup> {
  const groups = new Map<string, TemplateGroup>();
  for (const template of list.rows ?? []) {
    const key = `${template.waba_id} ${template.name}`;
    const known = groups.get(key);
    if (known) known.languages.push(template);
    else groups.set(key, { name: template.name, languages: [template] });
  }
  return {
    ...list,
    rows: list.rows && [...groups.values()],
    idOf: ({ languages }) => languages[0]!.template_id,
    // Events change templates, not groups of them.
    patch: () => false,
  };
}
