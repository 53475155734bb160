import { useState } from "preact/hooks";
import { link, may } from "../../data/company.ts";
import { navigate } from "../../data/route.ts";
import { Button } from "../../components/button.tsx";
import { attempt, toast } from "../../components/dialog/toast.tsx";
import { ConsentDialog } from "./consent_dialog.tsx";
import { EraseDialog } from "./erase_dialog.tsx";
import { downloadPerson } from "./person_data.ts";
import { SuppressDialog } from "./suppress_dialog.tsx";
import { words } from "../../i18n/words.ts";

/** Records what a person with a number or a user id said. */
export function RecordButtons({ address, onChange }: { address: string; onChange: () => void }) {
  const [open, setOpen] = useState<"suppress" | "consent">();
  const { record } = words().contacts;
  const close = () => {
    setOpen(undefined);
    onChange();
  };
  return (
    <>
      {may("owner") && <Button onPress={() => setOpen("consent")}>{record.consents}</Button>}
      <Button onPress={() => setOpen("suppress")}>{record.suppressions}</Button>
      {open === "suppress" && <SuppressDialog address={address} onClose={close} />}
      {open === "consent" && <ConsentDialog address={address} onClose={close} />}
    </>
  );
}

/** Saves all that is known about a person, or erases it. */
export function DataButtons({ address }: { address: string }) {
  const [isErasing, setErasing] = useState(false);
  const names = words().contact;
  return (
    <>
      <Button icon="download" onPress={() => save(address)}>{names.export}</Button>
      {may("owner") && <Button kind="danger" onPress={() => setErasing(true)}>{names.erase}</Button>}
      {isErasing && (
        <EraseDialog
          address={address}
          onClose={() => setErasing(false)}
          onErased={() => navigate(link(["contacts"]))}
        />
      )}
    </>
  );
}

async function save(address: string): Promise<void> {
  await attempt(async () => {
    await downloadPerson(address);
    toast(words().contact.exported);
  });
}
