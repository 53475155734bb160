import type { Sums } from "../../data/history_sums.ts";
import { link } from "../../data/company.ts";
import { StatusBadge } from "../../components/status_badge.tsx";
import type { Column } from "../../components/table/columns.ts";
import { timeColumn } from "../../components/table/time_column.tsx";
import { count, percent } from "../../i18n/format.ts";
import { words } from "../../i18n/words.ts";
import type { TemplateGroup } from "./grouped.ts";

/** The columns of the list of templates. `uses` are those of the last 30 days, by template. */
export function templateColumns(uses: Map<string | null, Sums> | undefined): Column<TemplateGroup>[] {
  const names = words().templates;
  const sum = (group: TemplateGroup, name: "sent" | "read") =>
    group.languages.reduce((total, { template_id }) => total + (uses?.get(template_id)?.[name] ?? 0), 0);
  return [
    { name: "name", title: names.name, cell: ({ name }) => name, sortBy: ({ name }) => name },
    {
      name: "language",
      title: names.language,
      width: "120px",
      from: "medium",
      cell: (group) => <Languages group={group} />,
    },
    {
      name: "category",
      title: names.category,
      width: "136px",
      from: "full",
      cell: ({ languages: [first] }) => names.categories[first!.category] ?? first!.category,
      sortBy: ({ languages: [first] }) => first!.category,
    },
    { name: "status", title: names.status, width: "144px", cell: (group) => <States group={group} /> },
    {
      name: "sent",
      title: names.sent,
      width: "128px",
      align: "end",
      from: "wide",
      cell: (group) => uses ? count(sum(group, "sent")) : "–",
      sortBy: (group) => sum(group, "sent"),
    },
    {
      name: "read",
      title: names.read,
      width: "80px",
      align: "end",
      from: "wide",
      cell(group) {
        const [sent, read] = [sum(group, "sent"), sum(group, "read")];
        return <span title={names.readOf(count(read), count(sent))}>{percent(read, sent)}</span>;
      },
      sortBy: (group) => sum(group, "read") / (sum(group, "sent") || 1),
    },
    {
      name: "quality",
      title: names.quality,
      width: "96px",
      from: "full",
      cell: ({ languages: [first] }) =>
        first!.quality ? names.qualities[first!.quality] ?? first!.quality : "–",
    },
    {
      name: "held",
      title: names.held,
      width: "80px",
      align: "end",
      from: "full",
      cell: ({ languages }) =>
        count(languages.reduce((total, { held_campaigns }) => total + held_campaigns, 0)),
    },
    timeColumn("updated", names.updated, ({ languages: [first] }) => first!.updated_at, { sorts: true }),
  ];
}

function Languages({ group: { name, languages } }: { group: TemplateGroup }) {
  return (
    <span class="languages-cell">
      {languages.map(({ template_id, language }) =>
        languages.length === 1
          ? language
          : (
            <a key={template_id} href={link(["templates", template_id])} aria-label={`${name} ${language}`}>
              {language}
            </a>
          )
      )}
    </span>
  );
}

/** The state of all languages, or each that differs with its language. */
function States({ group: { languages } }: { group: TemplateGroup }) {
  const [first] = languages;
  if (languages.every(({ status }) => status === first!.status)) {
    return <StatusBadge of="template" status={first!.status} />;
  }
  return (
    <span class="languages-cell">
      {languages.map(({ template_id, language, status }) => (
        <span key={template_id} title={language}>
          <StatusBadge of="template" status={status} />
        </span>
      ))}
    </span>
  );
}
