import type { ComponentProps } from "preact";
import { useTags } from "../../data/people.ts";
import { Field } from "./fields.tsx";

/** A field for one tag, with those of the company to choose from. */
export function TagField(props: Omit<ComponentProps<typeof Field>, "suggestions">) {
  return <Field {...props} suggestions={useTags()} />;
}

/** The same for several tags between commas: what is typed before the last comma stays. */
export function TagsField(props: Omit<ComponentProps<typeof Field>, "suggestions">) {
  const typed = props.value.split(",").slice(0, -1).map((tag) => tag.trim()).filter(Boolean);
  const left = useTags().filter((tag) => !typed.includes(tag));
  return <Field {...props} suggestions={left.map((tag) => [...typed, tag].join(", "))} />;
}
