import { useState } from "preact/hooks";
import { api, ask } from "../../data/client.ts";
import { type CampaignDetails, moveCampaign } from "../../data/sdk.ts";
import { attempt, toast } from "../../components/dialog/toast.tsx";
import { FormDialog } from "../../components/form/form.tsx";
import { moment } from "../../i18n/format.ts";
import { words } from "../../i18n/words.ts";
import type { CampaignPath } from "./campaign_data.ts";
import { isToCome, sendingTime, type When, WhenFields, whenOf } from "./when_fields.tsx";

/** Gives a campaign that has not started another time. */
export function MoveDialog({ campaign, path, onClose, onDone }: {
  campaign: CampaignDetails;
  path: CampaignPath;
  onClose: () => void;
  onDone: () => void;
}) {
  const names = words().campaign;
  const { scheduled_time, timezone, recipient_time } = campaign;
  const [before] = useState(() => whenOf(scheduled_time ?? Date.now(), timezone));
  const [when, setWhen] = useState(before);

  async function move(to: When): Promise<string> {
    const moved = await ask(moveCampaign({ client: api(), path, body: sendingTime(to) }));
    onDone();
    return moved.scheduled_time;
  }

  async function save(): Promise<void> {
    const at = await move(when);
    onClose();
    toast(names.moved(moment(at, { style: "zoned" })), { undo: () => attempt(() => move(before)) });
  }

  return (
    <FormDialog
      title={names.moveTitle}
      action={names.moveAction}
      disabled={!isToCome(when)}
      onSave={save}
      onClose={onClose}
    >
      {() => (
        <>
          <WhenFields value={when} onChange={setWhen} />
          {recipient_time && <p class="help">{names.moveOwnHour(recipient_time)}</p>}
        </>
      )}
    </FormDialog>
  );
}
