import { api, ask } from "../../data/client.ts";
import { link, may } from "../../data/company.ts";
import { navigate } from "../../data/route.ts";
import {
  type CampaignDetails,
  cancelCampaign,
  pauseCampaign,
  resendCampaign,
  resumeCampaign,
} from "../../data/sdk.ts";
import { Button } from "../../components/button.tsx";
import { confirm } from "../../components/dialog/confirm.tsx";
import { attempt, toast } from "../../components/dialog/toast.tsx";
import { count } from "../../i18n/format.ts";
import type { CampaignPath } from "./campaign_data.ts";
import { words } from "../../i18n/words.ts";

/** The buttons for what a member may do with a campaign now. `onDone` reads it anew. */
export function Actions({ campaign, path, onDone }: {
  campaign: CampaignDetails;
  path: CampaignPath;
  onDone: () => void;
}) {
  if (!may("operator")) return null;
  const { status, failed, skipped, paused_at } = campaign;
  const isOver = status === "completed" || status === "cancelled";
  const isPausedByMember = status === "paused" && paused_at !== null;
  const names = words().campaign;
  return (
    <>
      {!isOver && !isPausedByMember && (
        <Button icon="pause" onPress={() => pause(path, onDone)}>{names.pause}</Button>
      )}
      {isPausedByMember && (
        <Button kind="main" icon="play" onPress={() => resume(path, onDone)}>{names.resume}</Button>
      )}
      {failed + skipped > 0 && (
        <Button icon="again" onPress={() => resend(path, failed + skipped)}>{names.resend}</Button>
      )}
      {!isOver && (
        <Button kind="danger" icon="stop" onPress={() => cancel(path, campaign, onDone)}>
          {names.cancel}
        </Button>
      )}
    </>
  );
}

async function pause(path: CampaignPath, onDone: () => void): Promise<void> {
  const done = await attempt(() => ask(pauseCampaign({ client: api(), path })));
  if (done) toast(words().campaign.paused(done.changed), { undo: () => resume(path, onDone) });
  onDone();
}

async function resume(path: CampaignPath, onDone: () => void): Promise<void> {
  const done = await attempt(() => ask(resumeCampaign({ client: api(), path })));
  if (done) toast(words().campaign.resumed(done.changed), { undo: () => pause(path, onDone) });
  onDone();
}

async function cancel(path: CampaignPath, { pending }: CampaignDetails, onDone: () => void): Promise<void> {
  const { cancelTitle, cancelText, cancelAction, cancelled } = words().campaign;
  const isConfirmed = await confirm({
    title: cancelTitle,
    text: cancelText(pending),
    action: cancelAction,
    isDanger: true,
  });
  if (!isConfirmed) return;
  const done = await attempt(() => ask(cancelCampaign({ client: api(), path })));
  if (done) toast(cancelled(done.changed));
  onDone();
}

/** Resends to those who failed, with some codes only or with all that can pass, and leads to the new campaign. */
export async function resend(path: CampaignPath, atMost: number, codes?: string[]): Promise<void> {
  const { resendTitle, resendText, resendAction, resent, resentNone } = words().campaign;
  const isConfirmed = await confirm({
    title: resendTitle,
    text: resendText(count(atMost)),
    action: resendAction,
  });
  if (!isConfirmed) return;
  const body = codes ? { codes } : {};
  const done = await attempt(() => ask(resendCampaign({ client: api(), path, body })));
  if (done === undefined) return;
  if (done.inquiry_set_id === null) return toast(resentNone);
  toast(resent(count(done.processed)));
  navigate(link(["campaigns", done.inquiry_set_id]));
}
