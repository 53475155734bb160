import { useState } from "preact/hooks";
import { useLists } from "../../data/people.ts";
import { Problem } from "../../data/problem.ts";
import type { ContactList, StoredContact } from "../../data/sdk.ts";
import { Button } from "../../components/button.tsx";
import { Select } from "../../components/form/fields.tsx";
import { FormDialog } from "../../components/form/form.tsx";
import { TagsField } from "../../components/form/tags_field.tsx";
import { attempt, toast } from "../../components/dialog/toast.tsx";
import { changeMembership, changeTags } from "./bulk.ts";
import { readTags } from "./contact_text.ts";
import { words } from "../../i18n/words.ts";

type Action = "tag" | "untag" | "enlist" | "unlist";

interface BulkProps {
  /** The people who are chosen. */
  rows: StoredContact[];
  /** The list whose people are shown. */
  list: ContactList | undefined;
  onDone: () => void;
  onUndone: () => void;
}

/** The actions for the people who are chosen. */
export function BulkBar({ onClear, ...bulk }: BulkProps & { onClear: () => void }) {
  const [open, setOpen] = useState<Action>();
  const names = words().contacts;
  const isMemberList = bulk.list !== undefined && bulk.list.condition === null;
  return (
    <div class="bulk-bar" role="toolbar" aria-label={names.bulk}>
      <span role="status">{names.chosen(bulk.rows.length)}</span>
      <Button kind="quiet" onPress={() => setOpen("tag")}>{names.bulkActions.tag}</Button>
      <Button kind="quiet" onPress={() => setOpen("untag")}>{names.bulkActions.untag}</Button>
      <Button kind="quiet" onPress={() => setOpen("enlist")}>{names.bulkActions.enlist}</Button>
      {isMemberList
        ? <Button kind="quiet" onPress={() => act(bulk, "remove", bulk.list!)}>{names.takeOff}</Button>
        : <Button kind="quiet" onPress={() => setOpen("unlist")}>{names.bulkActions.unlist}</Button>}
      <Button kind="quiet" icon="close" label={names.chooseNone} onPress={onClear} />
      {(open === "tag" || open === "untag") && (
        <TagDialog
          {...bulk}
          action={open}
          onClose={() => setOpen(undefined)}
        />
      )}
      {(open === "enlist" || open === "unlist") && (
        <ListDialog
          {...bulk}
          action={open}
          onClose={() => setOpen(undefined)}
        />
      )}
    </div>
  );
}

async function act(bulk: BulkProps, change: "add" | "remove", list: ContactList): Promise<void> {
  await attempt(() => enlist(bulk, change, list));
}

async function enlist(
  { rows, onDone, onUndone }: BulkProps,
  change: "add" | "remove",
  { list_id, name }: ContactList,
): Promise<void> {
  const undo = await changeMembership(rows, list_id, change);
  const { enlisted, unlisted } = words().contacts;
  toast((change === "add" ? enlisted : unlisted)(rows.length, name), {
    undo: () => attempt(() => undo().then(onUndone)),
  });
  onDone();
}

function TagDialog({ action, rows, onDone, onUndone, onClose }: BulkProps & {
  action: "tag" | "untag";
  onClose: () => void;
}) {
  const [typed, setTyped] = useState("");
  const names = words().contacts;
  const known = [...new Set(rows.flatMap(({ tags }) => tags))].sort();

  async function save(): Promise<void> {
    const tags = readTags(typed);
    if (tags.length === 0) {
      throw new Problem("validation_failed", words().common.required, { details: { field: "tags" } });
    }
    const undo = await changeTags(rows, tags, action === "tag" ? "add" : "remove");
    toast((action === "tag" ? names.tagged : names.untagged)(rows.length, tags.join(", ")), {
      undo: () => attempt(() => undo().then(onUndone)),
    });
    onClose();
    onDone();
  }

  return (
    <FormDialog
      title={names.bulkActions[action]}
      action={names.bulkActions[action]}
      onSave={save}
      onClose={onClose}
    >
      {(errorOf) => (
        <>
          <TagsField
            label={names.tags}
            help={names.tagsHelp}
            value={typed}
            error={errorOf("tags") ?? errorOf("add") ?? errorOf("remove")}
            onChange={setTyped}
          />
          {action === "untag" && known.length > 0 && (
            <p class="tags">
              {known.map((tag) => (
                <Button
                  key={tag}
                  kind="quiet"
                  onPress={() => setTyped([...readTags(typed), tag].join(", "))}
                >
                  {tag}
                </Button>
              ))}
            </p>
          )}
        </>
      )}
    </FormDialog>
  );
}

function ListDialog({ action, onClose, ...bulk }: BulkProps & {
  action: "enlist" | "unlist";
  onClose: () => void;
}) {
  const lists = useLists().data?.filter(({ condition }) => condition === null) ?? [];
  const [chosen, setChosen] = useState<string>();
  const names = words().contacts;
  const list = lists.find(({ list_id }) => list_id === chosen) ?? lists[0];
  return (
    <FormDialog
      title={names.bulkActions[action]}
      action={names.bulkActions[action]}
      disabled={list === undefined}
      onClose={onClose}
      onSave={async () => {
        await enlist(bulk, action === "enlist" ? "add" : "remove", list!);
        onClose();
      }}
    >
      {() =>
        list === undefined ? <p>{words().lists.noneOfMembers}</p> : (
          <Select
            label={names.list}
            value={list.list_id}
            options={lists.map(({ list_id, name }) => [list_id, name] as const)}
            onChange={setChosen}
          />
        )}
    </FormDialog>
  );
}
