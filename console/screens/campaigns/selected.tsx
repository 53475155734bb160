import type { Campaign } from "../../data/sdk.ts";
import type { Selection } from "../../components/table/selection.ts";
import { Button } from "../../components/button.tsx";
import { confirm } from "../../components/dialog/confirm.tsx";
import { cancelAll, pauseAll, resumeAll } from "./steer.ts";
import { words } from "../../i18n/words.ts";

/** The actions on the campaigns that are chosen; none for those that are over. */
export function Selected({ selection, rows, onDone }: {
  selection: Selection;
  rows: Campaign[];
  onDone: () => void;
}) {
  const names = words().campaigns;
  const { pause, resume, cancelTitle, cancelText, cancelAction } = words().campaign;
  const chosen = rows.filter(({ campaign_id }) => selection.has(campaign_id));
  if (chosen.length === 0) return null;
  const open = chosen.filter(({ status }) => status !== "completed" && status !== "cancelled");
  const paused = open.filter(({ paused_reason }) => paused_reason === "operator");
  const running = open.filter(({ paused_reason }) => paused_reason !== "operator");

  function done(): void {
    selection.clear();
    onDone();
  }

  async function cancel(): Promise<void> {
    const pending = open.reduce((sum, campaign) => sum + campaign.pending, 0);
    const title = open.length === 1 ? cancelTitle : names.cancelTitle(open.length);
    const action = open.length === 1 ? cancelAction : names.cancelAction;
    if (await confirm({ title, text: cancelText(pending), action, isDanger: true })) {
      await cancelAll(idsOf(open), done);
    }
  }

  return (
    <div class="selected-bar" role="region" aria-label={names.selected(chosen.length)}>
      <strong>{names.selected(chosen.length)}</strong>
      <div class="actions">
        {running.length > 0 && (
          <Button icon="pause" onPress={() => pauseAll(idsOf(running), done)}>{pause}</Button>
        )}
        {paused.length > 0 && (
          <Button icon="play" onPress={() => resumeAll(idsOf(paused), done)}>{resume}</Button>
        )}
        {open.length > 0 && (
          <Button kind="danger" icon="stop" onPress={cancel}>{words().campaign.cancel}</Button>
        )}
        <Button kind="quiet" onPress={selection.clear}>{names.clear}</Button>
      </div>
    </div>
  );
}

function idsOf(campaigns: Campaign[]): string[] {
  return campaigns.map(({ campaign_id }) => campaign_id);
}
