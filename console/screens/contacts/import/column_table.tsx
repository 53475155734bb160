import type { ContactAttribute } from "../../../data/sdk.ts";
import { Select } from "../../../components/form/fields.tsx";
import { PlainTable } from "../../../components/table/plain_table.tsx";
import type { ContactFile } from "../../compose/upload/contact_file.ts";
import { attributeField } from "./new_attributes.ts";
import { words } from "../../../i18n/words.ts";

const FIELDS = ["number", "name", "email", "tags", "language", "country", "timezone", "user_id"] as const;

const NONE = "";

/** Says of each column of a file which field of a contact it fills, with the first rows beside it. */
export function ColumnTable({ file, columns, attributes, types, disabled, onChange, onType }: {
  file: ContactFile;
  columns: Record<string, string | null>;
  attributes: ContactAttribute[];
  /** Of the attributes that are new. */
  types: Record<string, ContactAttribute["type"]>;
  disabled: boolean;
  onChange: (columns: Record<string, string | null>) => void;
  onType: (name: string, type: ContactAttribute["type"]) => void;
}) {
  const names = words().importing;
  const known = new Set(attributes.map(({ name }) => `attribute.${name}`));
  const attributeTypes = words().settings.attributeTypes;
  return (
    <PlainTable
      rows={file.columns.filter((column) => column !== "")}
      keyOf={(column) => column}
      columns={[
        { title: names.column, cell: (column) => <strong>{column}</strong> },
        { title: names.example, cell: (column) => samples(file, column) },
        {
          title: names.field,
          cell: (column) => {
            const field = columns[column] ?? null;
            const isNew = field?.startsWith("attribute.") && !known.has(field);
            const own = attributeField(column);
            const others = [...new Set([...known, ...(isNew ? [field!] : []), own])];
            return (
              <div class="column-field">
                <Select
                  label={`${column}: ${names.field}`}
                  hideLabel
                  value={field ?? NONE}
                  disabled={disabled}
                  options={[
                    [NONE, names.notUsed],
                    ...FIELDS.map((each) => [each, names.fields[each]] as const),
                    ...others.map((each) => {
                      const name = each.slice("attribute.".length);
                      return [each, known.has(each) ? name : names.newAttribute(name)] as const;
                    }),
                  ]}
                  onChange={(chosen) => onChange({ ...columns, [column]: chosen === NONE ? null : chosen })}
                />
                {isNew && (
                  <Select
                    label={`${column}: ${names.type}`}
                    hideLabel
                    value={types[field!.slice("attribute.".length)] ?? "text"}
                    disabled={disabled}
                    options={Object.entries(attributeTypes) as [ContactAttribute["type"], string][]}
                    onChange={(type) => onType(field!.slice("attribute.".length), type)}
                  />
                )}
              </div>
            );
          },
        },
      ]}
    />
  );
}

function samples({ rows }: ContactFile, column: string): string {
  const cells = rows.map((row) => row[column] ?? "").filter((cell) => cell !== "");
  return [...new Set(cells)].slice(0, 3).join(" · ").slice(0, 80) || "–";
}
