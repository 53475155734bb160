import { useState } from "preact/hooks";
import { api, ask } from "../../data/client.ts";
import { type SenderDetails, setSenderRate } from "../../data/sdk.ts";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog/dialog.tsx";
import { Field } from "../../components/form/fields.tsx";
import { attempt, toast } from "../../components/dialog/toast.tsx";
import { count } from "../../i18n/format.ts";
import type { SenderPath } from "./sender_data.ts";
import { words } from "../../i18n/words.ts";

/** The largest values that the API takes. */
const MAX = { rate_per_second: 1_000_000, concurrency: 1000 };

/** Sets messages per second, or calls at a time. */
export function RateDialog({ sender, path, onClose, onDone }: {
  sender: SenderDetails;
  path: SenderPath;
  onClose: () => void;
  onDone: () => void;
}) {
  const name = sender.channel === "voice" ? "concurrency" : "rate_per_second";
  const before = sender[name];
  const [typed, setTyped] = useState(String(before));
  const names = words().sender;
  const isRight = /^[1-9]\d*$/.test(typed) && Number(typed) <= MAX[name];

  async function save(): Promise<void> {
    if (!isRight) return;
    const set = (value: number) =>
      attempt(() => ask(setSenderRate({ client: api(), path, body: { [name]: value } })));
    if (await set(Number(typed)) === undefined) return;
    onClose();
    onDone();
    toast(names.rateSaved, {
      undo: async () => {
        await set(before);
        onDone();
      },
    });
  }

  return (
    <Dialog
      title={names.rateTitle}
      onClose={onClose}
      actions={
        <>
          <Button onPress={onClose}>{words().common.cancel}</Button>
          <Button kind="main" disabled={!isRight} onPress={save}>{names.save}</Button>
        </>
      }
    >
      <Field
        label={name === "concurrency" ? names.callsLabel : names.rateLabel}
        help={name === "concurrency" ? names.callsHelp : names.rateHelp}
        error={isRight ? undefined : names.rateWrong(count(MAX[name]))}
        value={typed}
        inputMode="numeric"
        onChange={(value) => setTyped(value.trim())}
      />
    </Dialog>
  );
}
