import { describeExpected } from "../../data/expectations.ts";
import { Checkbox, Field, Select } from "../../parts/fields.tsx";
import type { ContactFile } from "./contact_file.ts";
import { type Content, NUMBER, type Source, type Sources } from "./draft.ts";
import { fieldLabel } from "./field_label.ts";
import { words } from "./words.ts";

const TEXT = "text";
const NONE = "none";
const COLUMN = "column ";

/** Which column, or which text, fills each place of the message. */
export function MappingStep({ content, file, sources, missing, onChange }: {
  content: Content | undefined;
  file: ContactFile | undefined;
  sources: Sources;
  /** The fields to mark as missing. */
  missing: string[];
  onChange: (sources: Sources) => void;
}) {
  const names = words();
  const change = (name: string, source: Source | undefined) => {
    const { [name]: _, ...others } = sources;
    onChange(source === undefined ? others : { ...others, [name]: source });
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
  const fields = [{ name: NUMBER, required: true, expects: "text" }, ...values];
  return (
    <section class="step">
      <h2>{names.mapping}</h2>
      <p class="help">{names.mappingHelp}</p>
      <div class="mapping">
        {fields.map(({ name, required, expects }) => (
          <SourceField
            key={name}
            label={fieldLabel(name, ofTemplate)}
            help={[required ? "" : names.optional, describeExpected(expects)].filter(Boolean).join(
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
      {content.channel === "voice" && <Variables file={file} sources={sources} onChange={change} />}
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
  const names = words();
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

/** The columns that an agent receives, under their names. */
function Variables({ file, sources, onChange }: {
  file: ContactFile;
  sources: Sources;
  onChange: (name: string, source: Source | undefined) => void;
}) {
  const names = words();
  const number = sources[NUMBER]?.kind === "column" ? sources[NUMBER].column : undefined;
  const columns = file.columns.filter((column) => column !== number && column !== "");
  if (columns.length === 0) return null;
  return (
    <fieldset class="choices variables">
      <legend>{names.variables}</legend>
      {columns.map((column) => (
        <Checkbox
          key={column}
          label={column}
          value={variableOf(column) in sources}
          onChange={(isGiven) =>
            onChange(variableOf(column), isGiven ? { kind: "column", column } : undefined)}
        />
      ))}
      <p class="help">{names.variablesHelp}</p>
    </fieldset>
  );
}

/** The name of an agent's variable for a column: as people write them in prompts. */
export function variableOf(column: string): string {
  return column.trim().replaceAll(/[^\p{L}\p{M}\p{N}_]+/gu, "_").replaceAll(/^_+|_+$/g, "").toLowerCase();
}
