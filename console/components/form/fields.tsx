import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";

interface FieldProps {
  label: string;
  /** Under the field, before anything is wrong. */
  help?: string | undefined;
  /** Says what is wrong, and what to do. */
  error?: string | undefined;
  /** Shows the label to screen readers only: in filter bars. */
  hideLabel?: boolean | undefined;
}

interface InputProps extends FieldProps {
  value: string;
  onChange: (value: string) => void;
  type?:
    | "text"
    | "search"
    | "email"
    | "password"
    | "tel"
    | "url"
    | "number"
    | "date"
    | "time"
    | "datetime-local";
  /** More than one: an area of so many rows. */
  rows?: number;
  placeholder?: string | undefined;
  autocomplete?: string | undefined;
  inputMode?: "numeric" | "text" | undefined;
  required?: boolean;
  disabled?: boolean;
  /** Texts to choose from; any other may be typed. Empty while they are not known: the role of the field stays the same. */
  suggestions?: string[] | undefined;
}

/** A field for text. */
export function Field(props: InputProps) {
  const {
    value,
    onChange,
    type = "text",
    rows = 1,
    placeholder,
    autocomplete,
    inputMode,
    required,
    disabled,
    suggestions,
  } = props;
  return (
    <Labelled {...props}>
      {(aria) => {
        const common = {
          ...aria,
          value,
          placeholder,
          required,
          disabled,
          onInput: (event: InputEvent) => onChange((event.currentTarget as HTMLInputElement).value),
        };
        return rows > 1 ? <textarea {...common} rows={rows} /> : (
          <>
            <input
              {...common}
              type={type as "text"}
              autocomplete={autocomplete ?? "off"}
              inputMode={inputMode}
              list={suggestions && `${aria.id}-list`}
            />
            {suggestions && (
              <datalist id={`${aria.id}-list`}>
                {suggestions.map((each) => <option key={each} value={each} />)}
              </datalist>
            )}
          </>
        );
      }}
    </Labelled>
  );
}

// Choices listen to `input`, which comes before `change`: a form that renders between the two would undo the press.

/** A choice of one. */
export function Select<V extends string>(
  { options, value, onChange, disabled, ...field }: FieldProps & {
    options: readonly (readonly [value: V, label: string])[];
    value: V;
    onChange: (value: V) => void;
    disabled?: boolean;
  },
) {
  return (
    <Labelled {...field}>
      {(aria) => (
        <select
          {...aria}
          value={value}
          disabled={disabled}
          onInput={(event) => onChange(event.currentTarget.value as V)}
        >
          {options.map(([each, label]) => <option key={each} value={each}>{label}</option>)}
        </select>
      )}
    </Labelled>
  );
}

/** A choice of one, with all of them in view. */
export function Radios<V extends string>({ label, options, value, onChange }: {
  label: string;
  options: readonly (readonly [value: V, label: string])[];
  value: V;
  onChange: (value: V) => void;
}) {
  const name = useId();
  return (
    <fieldset class="choices">
      <legend>{label}</legend>
      {options.map(([each, text]) => (
        <label key={each}>
          <input type="radio" name={name} checked={each === value} onInput={() => onChange(each)} />
          {text}
        </label>
      ))}
    </fieldset>
  );
}

/** A choice of yes or no. */
export function Checkbox(
  { label, help, value, onChange, disabled }: Pick<FieldProps, "label" | "help"> & {
    value: boolean;
    onChange: (value: boolean) => void;
    disabled?: boolean;
  },
) {
  const id = useId();
  return (
    <div class="checkbox">
      <input
        type="checkbox"
        id={id}
        checked={value}
        disabled={disabled}
        aria-describedby={help && `${id}-help`}
        onInput={(event) => onChange(event.currentTarget.checked)}
      />
      <label for={id}>{label}</label>
      {help && <p class="help" id={`${id}-help`}>{help}</p>}
    </div>
  );
}

interface Aria {
  id: string;
  "aria-describedby": string | undefined;
  "aria-invalid": boolean;
}

/** A label, help and an error around any control, tied to it by ids. */
export function Labelled(
  { label, help, error, hideLabel, children }: FieldProps & { children: (aria: Aria) => ComponentChildren },
) {
  const id = useId();
  const note = error ?? help;
  return (
    <div class={`field${error ? " wrong" : ""}`}>
      <label for={id} class={hideLabel ? "unseen" : undefined}>{label}</label>
      {children({ id, "aria-describedby": note && `${id}-note`, "aria-invalid": error !== undefined })}
      {note && <p class={error ? "error" : "help"} id={`${id}-note`}>{note}</p>}
    </div>
  );
}
