import { useState } from "preact/hooks";
import { api, ask } from "../../data/client.ts";
import { companyId, link, maySend } from "../../data/company.ts";
import { markAllOld } from "../../data/entries.ts";
import { navigate } from "../../data/route.ts";
import { type ContactList, removeContactList, type StoredContact } from "../../data/sdk.ts";
import { Button, ButtonLink } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog/dialog.tsx";
import { confirm } from "../../components/dialog/confirm.tsx";
import { attempt, toast } from "../../components/dialog/toast.tsx";
import { PeoplePicker } from "../../components/people_picker.tsx";
import { changeMembership } from "../contacts/bulk.ts";
import { nameOf } from "../contacts/contact_text.ts";
import { NameDialog } from "../lists/name_dialog.tsx";
import { words } from "../../i18n/words.ts";

/** The actions for a list. */
export function ListActions({ list, onEdit, onChange }: {
  list: ContactList;
  onEdit: () => void;
  onChange: () => void;
}) {
  const [open, setOpen] = useState<"name" | "people">();
  const names = words().lists;
  const close = () => {
    setOpen(undefined);
    onChange();
  };

  async function remove(): Promise<void> {
    const question = { title: names.deleteTitle(list.name), text: names.deleteText, action: names.delete };
    if (!await confirm({ ...question, isDanger: true })) return;
    const path = { company_id: companyId(), list_id: list.list_id };
    if (await attempt(() => ask(removeContactList({ client: api(), path }))) === undefined) return;
    toast(names.deleted);
    markAllOld();
    navigate(link(["lists"]));
  }

  return (
    <>
      {maySend() && (
        <ButtonLink kind="main" icon="send" href={link(["compose"], { list: list.list_id })}>
          {names.use}
        </ButtonLink>
      )}
      {list.condition === null
        ? (
          <>
            <Button icon="plus" onPress={() => setOpen("people")}>{names.addPeople}</Button>
            <Button onPress={() => setOpen("name")}>{names.rename}</Button>
          </>
        )
        : <Button onPress={onEdit}>{names.change}</Button>}
      <Button kind="danger" onPress={remove}>{names.delete}</Button>
      {open === "name" && <NameDialog list={list} onClose={close} />}
      {open === "people" && <AddPeople list={list} onClose={close} />}
    </>
  );
}

/** Finds people one after the other, and adds each at once. */
function AddPeople({ list, onClose }: { list: ContactList; onClose: () => void }) {
  const [added, setAdded] = useState<StoredContact[]>([]);
  const names = words().lists;

  async function add(contact: StoredContact): Promise<void> {
    const done = await attempt(() => changeMembership([contact], list.list_id, "add"));
    if (done) setAdded([...added, contact]);
  }

  return (
    <Dialog
      title={names.addPeopleTo(list.name)}
      onClose={onClose}
      staysOpen
      actions={<Button kind="main" onPress={onClose}>{words().common.close}</Button>}
    >
      <PeoplePicker without={added.map(({ contact_id }) => contact_id)} onPick={add} />
      <div role="status">
        {added.length > 0 && <p>{names.added(added.length)} {added.map(nameOf).join(", ")}</p>}
      </div>
    </Dialog>
  );
}
