import { link } from "../../data/company.ts";
import type { ManagedTemplate } from "../../data/sdk.ts";
import { Section } from "../../components/page_head.tsx";
import { PlainTable } from "../../components/table/plain_table.tsx";
import { StatusBadge } from "../../components/status_badge.tsx";
import { useVersions } from "./template_data.ts";
import { words } from "../../i18n/words.ts";

/** The same template in other languages, and its other versions. */
export function Versions({ template }: { template: ManagedTemplate }) {
  const { data = [] } = useVersions(template);
  const names = words().templates;
  if (data.length < 2) return null;
  return (
    <Section title={words().template.versions}>
      <PlainTable
        rows={data}
        keyOf={({ template_id }) => template_id}
        columns={[
          {
            title: names.name,
            cell: ({ template_id, name }) =>
              template_id === template.template_id
                ? <strong>{name}</strong>
                : <a href={link(["templates", template_id])}>{name}</a>,
          },
          { title: names.language, cell: ({ language }) => language },
          { title: names.status, cell: ({ status }) => <StatusBadge status={status} /> },
        ]}
      />
    </Section>
  );
}
