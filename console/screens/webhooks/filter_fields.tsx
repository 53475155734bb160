import type { Sender } from "../../data/sdk.ts";
import { Checkbox } from "../../components/form/fields.tsx";
import { phone } from "../../i18n/format.ts";
import { useSenders } from "../senders/sender_list.ts";
import { webhookWords } from "../../i18n/webhook_words.ts";
import { words } from "../../i18n/words.ts";

/** Which events a webhook gets, besides their types. */
export interface Filters {
  /** Null: any event. */
  channels: Channel[] | null;
  /** Null: any event. */
  sender_ids: string[] | null;
}

type Channel = Sender["channel"];

const CHANNELS: Channel[] = ["whatsapp", "voice"];

/** Asks of which channels and senders a webhook gets the events. */
export function FilterFields({ filters: { channels, sender_ids }, isWrong, onChange }: {
  filters: Filters;
  isWrong: boolean;
  onChange: (filters: Filters) => void;
}) {
  const { rows: senders = [] } = useSenders({});
  const names = webhookWords();
  return (
    <>
      <Choice
        legend={names.channels}
        all={names.anyChannel}
        options={CHANNELS.map((each) => [each, words().common.channels[each]] as const)}
        chosen={channels}
        onChange={(chosen) => onChange({ channels: chosen, sender_ids })}
      />
      <Choice
        legend={names.senders}
        all={names.anySender}
        options={senders.map(({ sender_id, number }) => [sender_id, phone(number)] as const)}
        chosen={sender_ids}
        onChange={(chosen) => onChange({ channels, sender_ids: chosen })}
      />
      {isWrong && <p class="error">{names.chooseFilter}</p>}
    </>
  );
}

function Choice<Id extends string>({ legend, all, options, chosen, onChange }: {
  legend: string;
  all: string;
  options: (readonly [id: Id, label: string])[];
  chosen: Id[] | null;
  onChange: (chosen: Id[] | null) => void;
}) {
  return (
    <fieldset class="choices">
      <legend>{legend}</legend>
      <Checkbox label={all} value={chosen === null} onChange={(is) => onChange(is ? null : [])} />
      {chosen && options.map(([id, label]) => (
        <Checkbox
          key={id}
          label={label}
          value={chosen.includes(id)}
          onChange={(is) => onChange(is ? [...chosen, id] : chosen.filter((each) => each !== id))}
        />
      ))}
    </fieldset>
  );
}
