import { useId, useState } from "preact/hooks";
import { api, ask } from "../../../data/client.ts";
import { companyId, link, may } from "../../../data/company.ts";
import { type InboxConversation, labelConversation } from "../../../data/sdk.ts";
import { attempt } from "../../../components/dialog/toast.tsx";
import { Button } from "../../../components/button.tsx";
import { Icon } from "../../../components/icon.tsx";
import { learnLabels, useKnownLabels } from "../known_labels.ts";
import { toneOf } from "../names.ts";
import { words } from "../../../i18n/words.ts";

const MAX_LENGTH = 50;

/** The labels of a conversation: each leads to the conversations with it. */
export function LabelEditor({ conversation, onChange }: {
  conversation: InboxConversation;
  onChange: () => void;
}) {
  const { conversation_id, labels } = conversation;
  const [typed, setTyped] = useState("");
  const listId = useId();
  const known = useKnownLabels().filter((each) => !labels.includes(each));
  const names = words().inbox;

  async function change(next: string[]): Promise<void> {
    const path = { company_id: companyId(), conversation_id };
    const body = { labels: next };
    if (!await attempt(() => ask(labelConversation({ client: api(), path, body })))) return;
    learnLabels([{ labels: next }]);
    onChange();
  }

  async function add(event: Event): Promise<void> {
    event.preventDefault();
    const label = typed.trim();
    setTyped("");
    if (label !== "" && !labels.includes(label)) await change([...labels, label]);
  }

  return (
    <section class="labels" aria-label={names.labels}>
      <h3>{names.labels}</h3>
      <div class="label-list">
        {labels.map((label) => (
          <span key={label} class={`label tone-${toneOf(label)}`}>
            <a href={link(["inbox"], { view: "all", label, conversation: conversation_id })}>{label}</a>
            {may("operator") && (
              <button
                type="button"
                aria-label={names.removeLabel(label)}
                title={names.removeLabel(label)}
                onClick={() => void change(labels.filter((each) => each !== label))}
              >
                <Icon name="close" />
              </button>
            )}
          </span>
        ))}
      </div>
      {may("operator") && (
        <form onSubmit={add}>
          <input
            aria-label={names.addLabel}
            placeholder={names.addLabel}
            list={listId}
            maxLength={MAX_LENGTH}
            value={typed}
            onInput={(event) => setTyped(event.currentTarget.value)}
          />
          <datalist id={listId}>{known.map((each) => <option key={each} value={each} />)}</datalist>
          <Button
            type="submit"
            kind="quiet"
            icon="plus"
            label={names.addLabel}
            disabled={typed.trim() === ""}
          />
        </form>
      )}
    </section>
  );
}
