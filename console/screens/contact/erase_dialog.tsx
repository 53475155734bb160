import { useState } from "preact/hooks";
import { cleanAddress, personOf } from "../../data/addresses.ts";
import { api, ask } from "../../data/client.ts";
import { companyId } from "../../data/company.ts";
import { readAllShown } from "../../data/entries.ts";
import { erasePerson } from "../../data/sdk.ts";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog/dialog.tsx";
import { Field } from "../../components/form/fields.tsx";
import { attempt, toast } from "../../components/dialog/toast.tsx";
import { titleOf } from "./address_title.ts";
import { words } from "../../i18n/words.ts";

/** Erases a person, once the person's address has been typed. */
export function EraseDialog({ address, onClose, onErased }: {
  address: string;
  onClose: () => void;
  onErased: () => void;
}) {
  const [typed, setTyped] = useState("");
  const { eraseTitle, eraseText, eraseType, erase, erased } = words().contact;

  async function end(): Promise<void> {
    const path = { company_id: companyId() };
    const done = await attempt(() => ask(erasePerson({ client: api(), path, body: personOf(address) })));
    if (done === undefined) return;
    // The inbox, and how many wait in it, may have been of this person.
    readAllShown();
    toast(erased(done.erased.notifications, done.erased.messages));
    onErased();
  }

  return (
    <Dialog
      title={eraseTitle(titleOf(address))}
      onClose={onClose}
      staysOpen
      actions={
        <>
          <Button onPress={onClose}>{words().common.cancel}</Button>
          <Button kind="danger" disabled={cleanAddress(typed) !== address} onPress={end}>{erase}</Button>
        </>
      }
    >
      <div class="form">
        <p>{eraseText}</p>
        <Field label={eraseType(titleOf(address))} value={typed} onChange={setTyped} />
      </div>
    </Dialog>
  );
}
