import { useState } from "preact/hooks";
import { link, may } from "../../data/company.ts";
import { Button } from "../../components/button.tsx";
import { TagsField } from "../../components/form/tags_field.tsx";
import { Icon } from "../../components/icon.tsx";
import { readTags } from "../contacts/contact_text.ts";
import type { Change } from "./contact_data.ts";
import { words } from "../../i18n/words.ts";

/** The tags of a person, each a link to all contacts with it. */
export function TagEditor({ tags, change }: { tags: string[]; change: Change }) {
  const [typed, setTyped] = useState("");
  const names = words().contacts;

  async function add(event: Event): Promise<void> {
    event.preventDefault();
    const added = readTags(typed).filter((tag) => !tags.includes(tag));
    if (added.length === 0 || await change({ tags: [...tags, ...added] })) setTyped("");
  }

  return (
    <>
      <ul class="tags">
        {tags.map((tag) => (
          <li key={tag} class="badge tag">
            <a href={link(["contacts"], { tag })}>{tag}</a>
            {may("operator") && (
              <button
                type="button"
                aria-label={names.untagOne(tag)}
                onClick={() => change({ tags: tags.filter((each) => each !== tag) })}
              >
                <Icon name="close" />
              </button>
            )}
          </li>
        ))}
        {tags.length === 0 && !may("operator") && <li class="none">–</li>}
      </ul>
      {may("operator") && (
        <form class="inline-editor" onSubmit={add}>
          <TagsField
            label={names.addTag}
            hideLabel
            placeholder={names.addTag}
            value={typed}
            onChange={setTyped}
          />
          <Button type="submit" disabled={typed.trim() === ""}>{words().common.add}</Button>
        </form>
      )}
    </>
  );
}
