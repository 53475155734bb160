import { useState } from "preact/hooks";
import { api, ask } from "../../data/client.ts";
import { companyId } from "../../data/company.ts";
import { replayDelivery } from "../../data/sdk.ts";
import { Field } from "../../components/form/fields.tsx";
import { FormDialog } from "../../components/form/form.tsx";
import { attempt, toast } from "../../components/dialog/toast.tsx";
import { localTime } from "../../i18n/format.ts";
import { queryOf, replayFailed, type Target } from "./target.ts";
import { spanBegan } from "./webhook_data.ts";
import { webhookWords } from "../../i18n/webhook_words.ts";

/** Delivers one event again; returns whether it goes. */
export async function replayOne(of: Target, event_id: string): Promise<boolean> {
  const path = { company_id: companyId(), event_id };
  const done = await attempt(() => ask(replayDelivery({ client: api(), path, query: queryOf(of) })));
  if (done) toast(webhookWords().replayed(done.replayed));
  return done !== undefined;
}

/** Asks since when what failed should be delivered again. */
export function ReplayForm({ of, onClose, onReplayed }: {
  of: Target;
  onClose: () => void;
  onReplayed: () => void;
}) {
  const [since, setSince] = useState(localTime(spanBegan("24h")!));
  const names = webhookWords();

  async function replay(): Promise<void> {
    const at = new Date(since);
    toast(names.replayed(await replayFailed(of, Number.isNaN(at.getTime()) ? "" : at.toISOString())));
    onClose();
    onReplayed();
  }

  return (
    <FormDialog title={names.replayFailed} action={names.replay} onSave={replay} onClose={onClose}>
      {(errorOf) => (
        <Field
          label={names.failedSince}
          type="datetime-local"
          value={since}
          help={names.replayHelp}
          error={errorOf("since")}
          onChange={setSince}
        />
      )}
    </FormDialog>
  );
}
