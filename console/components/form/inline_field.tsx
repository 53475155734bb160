import { useEffect, useRef, useState } from "preact/hooks";
import { Button } from "../button.tsx";
import { words } from "../../i18n/words.ts";
import { Field, Select } from "./fields.tsx";

export interface InlineFieldProps {
  label: string;
  /** As the field holds it; empty where there is no value. */
  value: string;
  /** As the member reads it; the value itself if it is left out. */
  shown?: string | undefined;
  type?: "text" | "number" | "date";
  /** The values to choose from, in place of a text. */
  options?: readonly (readonly [value: string, label: string])[] | undefined;
  placeholder?: string | undefined;
  canEdit: boolean;
  /** Returns what is wrong with a value. */
  check?: (value: string) => string | undefined;
  /** Saves a value, and returns whether it is saved. Empty removes it. */
  onSave: (value: string) => Promise<boolean>;
}

/** A name and a value that is edited where it stands: Enter saves, Escape leaves it as it was. */
export function InlineField(props: InlineFieldProps) {
  const { label, value, shown = value, canEdit } = props;
  const [isEditing, setEditing] = useState(false);
  return (
    <div class="inline-field">
      <dt>{label}</dt>
      <dd>
        {isEditing ? <Editor {...props} onClose={() => setEditing(false)} /> : canEdit
          ? (
            <button
              type="button"
              class="inline-value"
              aria-label={words().common.editValue(label, shown || words().common.add)}
              onClick={() => setEditing(true)}
            >
              {shown || <span class="none">{words().common.add}</span>}
            </button>
          )
          : shown || <span class="none">–</span>}
      </dd>
    </div>
  );
}

function Editor(
  { label, value, type = "text", options, placeholder, check, onSave, onClose }: InlineFieldProps & {
    onClose: () => void;
  },
) {
  const [typed, setTyped] = useState(value);
  const [error, setError] = useState<string>();
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => form.current?.querySelector<HTMLElement>("input, select")?.focus(), []);

  async function save(text: string): Promise<void> {
    if (text.trim() === value) return onClose();
    const wrong = text.trim() === "" ? undefined : check?.(text.trim());
    setError(wrong);
    if (wrong === undefined && await onSave(text.trim())) onClose();
  }

  return (
    <form
      class="inline-editor"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void save(typed);
      }}
      onKeyDown={(event) => event.key === "Escape" && (event.stopPropagation(), onClose())}
      ref={form}
    >
      {options
        ? (
          <Select
            label={label}
            hideLabel
            value={typed}
            error={error}
            options={[["", "–"], ...options]}
            onChange={setTyped}
          />
        )
        : (
          <Field
            label={label}
            hideLabel
            type={type}
            value={typed}
            error={error}
            placeholder={placeholder}
            onChange={setTyped}
          />
        )}
      <Button type="submit" kind="main">{words().common.save}</Button>
      <Button kind="quiet" icon="close" label={words().common.cancel} onPress={onClose} />
    </form>
  );
}
