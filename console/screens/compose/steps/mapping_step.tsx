import { describeExpected } from "../../../i18n/codes.ts";
import type { Sender } from "../../../data/sdk.ts";
import { CountryField } from "../../../components/form/country_field.tsx";
import { Checkbox, Field, Select } from "../../../components/form/fields.tsx";
import {
  type Choices,
  type Content,
  isStored,
  NUMBER,
  numberColumn,
  type People,
  type Source,
} from "../draft.ts";
import { storedColumnLabel } from "./audience_data.ts";
import { fieldLabel } from "./field_label.ts";
import { VariableFields } from "./variable_fields.tsx";
import { words } from "../../../i18n/words.ts";

const TEXT = "text";
const NONE = "none";
const COLUMN = "column ";

/** Which column, or which text, fills each value of the message. */
export function MappingStep({ content, people, sender, choices, missing, onChange }: {
  content: Content | undefined;
  people: People | undefined;
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
  if (content === undefined || people === undefined) {
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
  const ofFile = !isStored(people);
  const fields = [...ofFile ? [{ name: NUMBER, required: true, kind: "text" as const }] : [], ...values];
  const labelOf = (column: string) => ofFile ? names.column(column) : storedColumnLabel(column);
  return (
    <section class="step">
      <h2>{names.mapping}</h2>
      <p class="help">
        {fields.length === 0 && content.channel === "whatsapp"
          ? names.mappingNone
          : names.mappingHelp[content.channel]}
      </p>
      <div class="mapping">
        {ofFile && (
          <CountryField
            value={choices.country ?? sender?.country ?? undefined}
            onChange={(country) => onChange({ country })}
          />
        )}
        {fields.map(({ name, required, kind }) => (
          <SourceField
            key={name}
            label={fieldLabel(name, ofTemplate)}
            help={[required ? "" : names.optional, describeExpected(kind)].filter(Boolean).join(
              " · ",
            )}
            error={missing.includes(name) ? names.choose : undefined}
            columns={people.columns}
            labelOf={labelOf}
            canBeText={name !== NUMBER}
            source={sources[name]}
            onChange={(source) => change(name, source)}
          />
        ))}
      </div>
      {content.channel === "voice" && (
        <VariableFields
          columns={people.columns}
          labelOf={labelOf}
          choices={choices}
          onChange={(variables) => onChange({ variables })}
        />
      )}
      <KeptColumns
        columns={people.columns.filter((column) => column !== "" && column !== numberColumn(sources))}
        labelOf={labelOf}
        kept={choices.kept}
        onChange={(kept) => onChange({ kept })}
      />
    </section>
  );
}

/** The columns that come back in the campaign's file of recipients. */
function KeptColumns({ columns, labelOf, kept, onChange }: {
  columns: string[];
  labelOf: (column: string) => string;
  kept: string[];
  onChange: (kept: string[]) => void;
}) {
  const names = words().compose;
  if (columns.length === 0) return null;
  return (
    <fieldset class="choices columns">
      <legend>{names.kept}</legend>
      <p class="help">{names.keptHelp}</p>
      {columns.map((column) => (
        <Checkbox
          key={column}
          label={labelOf(column)}
          value={kept.includes(column)}
          onChange={(isKept) => onChange(isKept ? [...kept, column] : kept.filter((each) => each !== column))}
        />
      ))}
    </fieldset>
  );
}

function SourceField({ label, help, error, columns, labelOf, canBeText, source, onChange }: {
  label: string;
  help: string;
  error: string | undefined;
  columns: string[];
  labelOf: (column: string) => string;
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
            [`${COLUMN}${column}`, labelOf(column)] as const
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
