import { api, ask } from "../../data/client.ts";
import { companyId } from "../../data/company.ts";
import { cancelCampaign, pauseCampaign, resumeCampaign } from "../../data/sdk.ts";
import { attempt, toast } from "../../components/dialog/toast.tsx";
import { words } from "../../i18n/words.ts";

/** Pauses campaigns; the toast resumes them. `onDone` reads them anew. */
export async function pauseAll(ids: string[], onDone: () => void): Promise<void> {
  const held = await steer(ids, pauseCampaign);
  if (held !== undefined) {
    toast(words().campaign.paused(held), {
      about: ids.join(),
      undo: () => resumeAll(ids, onDone),
    });
  }
  onDone();
}

/** Resumes campaigns; the toast pauses them. */
export async function resumeAll(ids: string[], onDone: () => void): Promise<void> {
  const released = await steer(ids, resumeCampaign);
  if (released !== undefined) {
    toast(words().campaign.resumed(released), { about: ids.join(), undo: () => pauseAll(ids, onDone) });
  }
  onDone();
}

/** Cancels campaigns, which cannot be undone. */
export async function cancelAll(ids: string[], onDone: () => void): Promise<void> {
  const ended = await steer(ids, cancelCampaign);
  if (ended !== undefined) toast(words().campaign.cancelled(ended), { about: ids.join() });
  onDone();
}

/** Steers one after the other; returns how many messages that concerned, or undefined where one was refused. */
async function steer(ids: string[], operation: typeof pauseCampaign): Promise<number | undefined> {
  let changed = 0;
  for (const campaign_id of ids) {
    const path = { company_id: companyId(), campaign_id };
    const done = await attempt(() => ask(operation({ client: api(), path })));
    if (done === undefined) return undefined;
    changed += done.changed;
  }
  return changed;
}
