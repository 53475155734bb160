import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { changeQuery, route } from "../../data/route.ts";
import { Button } from "../button.tsx";
import { Field, Select } from "./fields.tsx";
import { words } from "../../i18n/words.ts";

/** A filter of a list. Its value is in the address under `name`, as the API names it. */
export type Filter =
  | {
    kind: "choice";
    name: string;
    label: string;
    options: readonly (readonly [value: string, label: string])[];
  }
  | { kind: "date"; name: string; label: string }
  | {
    kind: "text";
    name: string;
    label: string;
    placeholder?: string;
    suggestions?: string[];
    /** Says what is wrong with a value; the list is then shown without this filter. */
    check?: (value: string) => string | undefined;
    /** Brings what was typed or pasted into the API's form. */
    clean?: (value: string) => string;
  };

/** Long enough to type on, short enough to seem immediate. */
const TYPING_MS = 300;

/** The filters of a list, bound to the address, so that a link shows the same list. */
export function FilterBar({ filters, children }: { filters: Filter[]; children?: ComponentChildren }) {
  const { query } = route.value;
  const isFiltered = filters.some(({ name }) => query[name]);
  return (
    <div class="filters" role="search" aria-label={words().common.filters}>
      {filters.map((filter) =>
        filter.kind === "choice"
          ? (
            <Select
              key={filter.name}
              label={filter.label}
              value={query[filter.name] ?? ""}
              options={[["", words().common.all], ...filter.options]}
              onChange={(value) => changeQuery({ [filter.name]: value })}
            />
          )
          : filter.kind === "date"
          ? (
            <Field
              key={filter.name}
              type="date"
              label={filter.label}
              value={query[filter.name] ?? ""}
              onChange={(value) => changeQuery({ [filter.name]: value })}
            />
          )
          : <TextFilter key={filter.name} {...filter} />
      )}
      {isFiltered && (
        <Button
          kind="quiet"
          onPress={() => changeQuery(Object.fromEntries(filters.map(({ name }) => [name, undefined])))}
        >
          {words().common.clearFilters}
        </Button>
      )}
      {children && <div class="actions">{children}</div>}
    </div>
  );
}

function TextFilter(
  { name, label, placeholder, suggestions, check, clean = (value) => value.trim() }: Filter & {
    kind: "text";
  },
) {
  const given = route.value.query[name] ?? "";
  const [typed, setTyped] = useState(given);
  const error = typed === "" ? undefined : check?.(clean(typed));
  // The result of an older value would look like that of this one.
  const wanted = error === undefined ? clean(typed) : "";
  useEffect(() => {
    if (wanted !== given) setTyped(given);
  }, [given]);
  useEffect(() => {
    if (wanted === given) return;
    const timer = setTimeout(() => changeQuery({ [name]: wanted }), TYPING_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  return (
    <Field
      type="search"
      label={label}
      value={typed}
      placeholder={placeholder}
      suggestions={suggestions}
      error={error}
      onChange={setTyped}
    />
  );
}
