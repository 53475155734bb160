import { describeExpected } from "../../../i18n/codes.ts";
import type { Sender } from "../../../data/sdk.ts";
import { Field, Select } from "../../../components/form/fields.tsx";
import type { ContactFile } from "../upload/contact_file.ts";
import { type Choices, type Content, NUMBER, type Source } from "../draft.ts";
import { fieldLabel } from "./field_label.ts";
import { VariableFields } from "./variable_fields.tsx";
import { countryOptions } from "../../../i18n/countries.ts";
import { words } from "../../../i18n/words.ts";

const TEXT = "text";
const NONE = "none";
const COLUMN = "column ";

/** Which column, or which text, fills each value of the message. */
export function MappingStep({ content, file, sender, choices, missing, onChange }: {
  content: Content | undefined;
  file: ContactFile | undefined;
  sender: Sender | undefined;
  choices: Choices;
  /** The fields to mark as missing. */
  missing: string[];
  onChange: (change: Partial<Choices>) => void;
}) {
  const names = words().compose;
  const { sources } = choices;
  const change = (name: string, source: Source | undefined) => {
    const { [name]: _, ...others } = sources;
    onChange({ sources: source === undefined ? others : { ...others, [name]: source } });
  };
  if (content === undefined || file === undefined) {
    return (
      <section class="step">
        <h2>{names.mapping}</h2>
        <p class="help">{names.mappingFirst}</p>
      </section>
    );
  }
  const values = content.channel === "whatsapp" ? content.template.values : [];
  const ofTemplate = content.channel === "whatsapp"
    ? content.template
    : { components: [], parameter_format: "POSITIONAL" as const };
  const fields = [{ name: NUMBER, required: true, kind: "text" as const }, ...values];
  return (
    <section class="step">
      <h2>{names.mapping}</h2>
      <p class="help">{names.mappingHelp[content.channel]}</p>
      <div class="mapping">
        <Select
          label={names.country}
          help={names.countryHelp}
          value={choices.country ?? sender?.country ?? NONE}
          options={[
            ...(choices.country ?? sender?.country ? [] : [[NONE, names.noCountry] as const]),
            ...countryOptions(),
          ]}
          onChange={(country) => onChange({ country })}
        />
        {fields.map(({ name, required, kind }) => (
          <SourceField
            key={name}
            label={fieldLabel(name, ofTemplate)}
            help={[required ? "" : names.optional, describeExpected(kind)].filter(Boolean).join(
              " · ",
            )}
            error={missing.includes(name) ? names.choose : undefined}
            columns={file.columns}
            canBeText={name !== NUMBER}
            source={sources[name]}
            onChange={(source) => change(name, source)}
          />
        ))}
      </div>
      {content.channel === "voice" && (
        <VariableFields
          file={file}
          choices={choices}
          onChange={(variables) => onChange({ variables })}
        />
      )}
    </section>
  );
}

function SourceField({ label, help, error, columns, canBeText, source, onChange }: {
  label: string;
  help: string;
  error: string | undefined;
  columns: string[];
  canBeText: boolean;
  source: Source | undefined;
  onChange: (source: Source | undefined) => void;
}) {
  const names = words().compose;
  const value = source === undefined ? NONE : source.kind === "text" ? TEXT : `${COLUMN}${source.column}`;
  return (
    <div>
      <Select
        label={label}
        help={help || undefined}
        error={error}
        value={value}
        options={[
          [NONE, names.nothing],
          ...columns.filter((column) => column !== "").map((column) =>
            [`${COLUMN}${column}`, names.column(column)] as const
          ),
          ...(canBeText ? [[TEXT, names.sameForAll] as const] : []),
        ]}
        onChange={(chosen) => {
          if (chosen === NONE) onChange(undefined);
          else if (chosen === TEXT) onChange({ kind: "text", text: "" });
          else onChange({ kind: "column", column: chosen.slice(COLUMN.length) });
        }}
      />
      {source?.kind === "text" && (
        <Field
          label={names.textForAll(label)}
          value={source.text}
          onChange={(text) => onChange({ kind: "text", text })}
        />
      )}
    </div>
  );
}
