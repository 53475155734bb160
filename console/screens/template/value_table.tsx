import type { ManagedTemplate } from "../../data/sdk.ts";
import { Fact, Facts } from "../../components/facts.tsx";
import { Section } from "../../components/page_head.tsx";
import { PlainTable } from "../../components/table/plain_table.tsx";
import { fieldLabel } from "../compose/steps/field_label.ts";
import { words } from "../../i18n/words.ts";

/** The values that a message supplies. */
export function ValueTable({ template }: { template: ManagedTemplate }) {
  const { values } = template;
  const names = words().template;
  return (
    <Section title={names.values}>
      {values.length === 0 ? <p class="facts">{names.noValues}</p> : (
        <>
          <p class="help">{names.valuesHelp}</p>
          <PlainTable
            rows={values}
            keyOf={({ name }) => name}
            columns={[
              {
                title: names.value,
                cell: ({ name, required }) => (
                  <>
                    {fieldLabel(name, template)}
                    {!required && <small>{names.optional}</small>}
                  </>
                ),
              },
              { title: names.expects, cell: ({ kind }) => words().values[kind] },
              { title: names.example, cell: ({ example }) => example },
            ]}
          />
          <details class="technical">
            <summary>{names.programNames}</summary>
            <Facts>
              {values.map(({ name }) => (
                <Fact key={name} name={fieldLabel(name, template)}>
                  <code>{name}</code>
                </Fact>
              ))}
            </Facts>
          </details>
        </>
      )}
    </Section>
  );
}
