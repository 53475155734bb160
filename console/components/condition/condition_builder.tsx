import { useEffect, useRef } from "preact/hooks";
import type { ContactAttribute, ContactList } from "../../data/sdk.ts";
import { Button } from "../button.tsx";
import { Select } from "../form/fields.tsx";
import { type GroupDraft, type Joint, newGroup, newTest, type TestDraft } from "./draft.ts";
import { type TestField, testFields } from "./fields.ts";
import { TestRow } from "./test_row.tsx";
import { words } from "../../i18n/words.ts";

/** The API takes no more levels. */
const MAX_DEPTH = 5;

interface BuilderProps {
  draft: GroupDraft;
  attributes: ContactAttribute[];
  lists: ContactList[];
  onChange: (draft: GroupDraft) => void;
}

/** Puts a condition on people together: tests in groups, each with a value of its kind. */
export function ConditionBuilder({ draft, attributes, lists, onChange }: BuilderProps) {
  return (
    <div class="condition">
      <Group
        group={draft}
        level={1}
        fields={testFields(attributes, lists)}
        lists={lists}
        onChange={onChange}
      />
    </div>
  );
}

function Group({ group, level, fields, lists, onChange, onRemove }: {
  group: GroupDraft;
  level: number;
  fields: TestField[];
  lists: ContactList[];
  onChange: (group: GroupDraft) => void;
  onRemove?: () => void;
}) {
  const names = words().condition;
  const box = useRef<HTMLFieldSetElement>(null);
  const count = useRef(group.parts.length);
  // The member fills in the new part next.
  useEffect(() => {
    if (group.parts.length > count.current) {
      box.current?.querySelector<HTMLElement>(":scope > ul > li:last-child select")?.focus();
    }
    count.current = group.parts.length;
  }, [group.parts.length]);
  const replace = (part: TestDraft | GroupDraft) =>
    onChange({ ...group, parts: group.parts.map((each) => each.id === part.id ? part : each) });
  const remove = (id: number) => onChange({ ...group, parts: group.parts.filter((each) => each.id !== id) });
  const add = (part: TestDraft | GroupDraft) => onChange({ ...group, parts: [...group.parts, part] });
  return (
    <fieldset ref={box} class="condition-group">
      <legend class="unseen">{names.group}</legend>
      <div class="condition-head">
        <Select
          label={names.joint}
          hideLabel
          value={group.joint}
          options={Object.entries(names.joints) as [Joint, string][]}
          onChange={(joint) => onChange({ ...group, joint })}
        />
        {onRemove && <Button kind="quiet" icon="close" label={names.removeGroup} onPress={onRemove} />}
      </div>
      <ul>
        {group.parts.map((part) => (
          <li key={part.id}>
            {part.kind === "group"
              ? (
                <Group
                  group={part}
                  level={level + 1}
                  {...{ fields, lists }}
                  onChange={replace}
                  onRemove={() => remove(part.id)}
                />
              )
              : (
                <TestRow
                  test={part}
                  {...{ fields, lists }}
                  onChange={replace}
                  onRemove={() => remove(part.id)}
                />
              )}
          </li>
        ))}
      </ul>
      <div class="condition-foot">
        <Button kind="quiet" icon="plus" onPress={() => add(newTest(fields[0]!))}>{names.addTest}</Button>
        {level < MAX_DEPTH - 1 && (
          <Button
            kind="quiet"
            icon="plus"
            onPress={() => add(newGroup([newTest(fields[0]!)], "any"))}
          >
            {names.addGroup}
          </Button>
        )}
      </div>
    </fieldset>
  );
}
