import { attempt } from "../../../components/dialog/toast.tsx";
import { Button } from "../../../components/button.tsx";
import { confirm } from "../../../components/dialog/confirm.tsx";
import { Time } from "../../../components/time.tsx";
import { companyId, link } from "../../../data/company.ts";
import type { Draft } from "../../../data/sdk.ts";
import { dropDraft, useDrafts } from "./draft_data.ts";
import { words } from "../../../i18n/words.ts";

/** The campaigns that were begun and not sent, of all members. */
export function DraftList() {
  const { data: drafts = [], reload } = useDrafts();
  const names = words().compose.drafts;
  if (drafts.length === 0) return null;

  async function remove({ draft_id, name }: Draft): Promise<void> {
    const question = {
      title: names.removeTitle(name),
      text: names.removeText,
      action: words().common.remove,
    };
    if (!await confirm({ ...question, isDanger: true })) return;
    await attempt(() => dropDraft(companyId(), draft_id));
    reload();
  }

  return (
    <ul class="lines" aria-label={names.title}>
      {drafts.map((draft) => (
        <li key={draft.draft_id}>
          <span>
            <a href={link(["compose"], { draft: draft.draft_id })}>{names.open(draft.name)}</a>{" "}
            <small>
              <Time at={draft.updated_at} />
            </small>
          </span>
          <Button
            kind="quiet"
            icon="close"
            label={`${words().common.remove}: ${draft.name}`}
            onPress={() => remove(draft)}
          />
        </li>
      ))}
    </ul>
  );
}
