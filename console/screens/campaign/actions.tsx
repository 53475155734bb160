import { useState } from "preact/hooks";
import { api, ask } from "../../data/client.ts";
import { link, may } from "../../data/company.ts";
import { navigate } from "../../data/route.ts";
import { type CampaignDetails, copyCampaign, editCampaign } from "../../data/sdk.ts";
import { Button } from "../../components/button.tsx";
import { confirm } from "../../components/dialog/confirm.tsx";
import { attempt, toast } from "../../components/dialog/toast.tsx";
import { cancelAll, pauseAll, resumeAll } from "../campaigns/steer.ts";
import { type CampaignPath, useFailures } from "./campaign_data.ts";
import { MoveDialog } from "./move_dialog.tsx";
import { ResendDialog } from "./resend_dialog.tsx";
import { resendable } from "./steps.ts";
import { words } from "../../i18n/words.ts";

/** The buttons for what a member may do with a campaign now. `onDone` reads it anew. */
export function Actions({ campaign, path, onDone }: {
  campaign: CampaignDetails;
  path: CampaignPath;
  onDone: () => void;
}) {
  const [open, setOpen] = useState<"move" | "resend">();
  const failures = useFailures(path).data?.failures ?? [];
  if (!may("operator")) return null;
  const { status, paused_at, started_at, scheduled_time, open_until } = campaign;
  const ids = [campaign.campaign_id];
  const isOver = status === "completed" || status === "cancelled";
  const isPausedByMember = status === "paused" && paused_at !== null;
  const mayMove = !isOver && started_at === null && scheduled_time !== null && open_until === null;
  const names = words().campaign;
  const close = () => setOpen(undefined);
  return (
    <>
      {!isOver && !isPausedByMember && (
        <Button icon="pause" onPress={() => pauseAll(ids, onDone)}>{names.pause}</Button>
      )}
      {isPausedByMember && (
        <Button kind="main" icon="play" onPress={() => resumeAll(ids, onDone)}>{names.resume}</Button>
      )}
      {mayMove && <Button onPress={() => setOpen("move")}>{names.move}</Button>}
      {mayMove && campaign.upload_id !== null && <Button onPress={() => edit(path)}>{names.edit}</Button>}
      {resendable(failures) > 0 && (
        <Button icon="again" onPress={() => setOpen("resend")}>{names.resend}</Button>
      )}
      <Button icon="copy" onPress={() => copy(path)}>{names.copy}</Button>
      {!isOver && (
        <Button kind="danger" icon="stop" onPress={() => cancel(campaign, onDone)}>
          {names.cancel}
        </Button>
      )}
      {open === "move" && <MoveDialog {...{ campaign, path, onDone }} onClose={close} />}
      {open === "resend" && <ResendDialog {...{ campaign, path }} onClose={close} />}
    </>
  );
}

async function cancel({ campaign_id, pending }: CampaignDetails, onDone: () => void): Promise<void> {
  const { cancelTitle, cancelText, cancelAction } = words().campaign;
  const question = { title: cancelTitle, text: cancelText(pending), action: cancelAction };
  if (await confirm({ ...question, isDanger: true })) await cancelAll([campaign_id], onDone);
}

/** Takes a scheduled campaign back as a draft, and opens it. */
async function edit(path: CampaignPath): Promise<void> {
  const { editTitle, editText, edit } = words().campaign;
  if (!await confirm({ title: editTitle, text: editText, action: edit })) return;
  const draft = await attempt(() => ask(editCampaign({ client: api(), path })));
  if (draft !== undefined) navigate(link(["compose"], { draft: draft.draft_id }));
}

/** Makes a draft of a campaign, and opens it. */
async function copy(path: CampaignPath): Promise<void> {
  const draft = await attempt(() => ask(copyCampaign({ client: api(), path })));
  if (draft === undefined) return;
  toast(words().campaign.copied);
  navigate(link(["compose"], { draft: draft.draft_id }));
}
