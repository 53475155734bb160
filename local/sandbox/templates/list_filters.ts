import { PlatformError } from "../errors/platform_error.ts";
import { MAX_TEMPLATES } from "./create_template.ts";
import type { StoredTemplate } from "./template_store.ts";
import { templateView } from "./template_view.ts";

/** Whether a template is wanted by the filters of a list; several words of one filter are separated by commas. */
export function matchesFilters(template: StoredTemplate, query: Record<string, string>): boolean {
  const isOneOf = (filter: string, value: string) =>
    query[filter] === undefined || query[filter].split(",").includes(value);
  const isIn = (filter: string, text: string) =>
    query[filter] === undefined || text.toLowerCase().includes(query[filter].toLowerCase());
  const content = template.components.map(({ text }) => text ?? "").join("\n");
  return isOneOf("status", template.status) && isOneOf("language", template.language) &&
    isOneOf("category", template.category) &&
    isOneOf("quality_score", templateView(template).quality_score.score) &&
    isIn("name", template.name) && isIn("content", content) &&
    isIn("name_or_content", `${template.name}\n${content}`);
}

/** The parts of the summary that a list asks for: how many templates match, how many there are and may be. */
export function summaryOf(asked: string, all: number, found: number): Record<string, unknown> {
  const summary = {
    total_count: found,
    message_template_count: all,
    message_template_limit: MAX_TEMPLATES,
    are_translations_complete: true,
  };
  const names = asked.split(",").map((name) => name.trim());
  const unknown = names.find((name) => !Object.hasOwn(summary, name));
  if (unknown !== undefined) throw new PlatformError(100, `summary has no ${unknown}`);
  return Object.fromEntries(Object.entries(summary).filter(([name]) => names.includes(name)));
}
