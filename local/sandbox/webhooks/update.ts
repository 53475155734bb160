/** A status update of a message, ready to go into `value.statuses`. */
export interface StatusUpdate {
  waba_id: string;
  phone_number_id: string;
  display_phone_number: string;
  /** Whom the status is about, for `value.contacts`; null where the platform leaves that out. */
  contact: Record<string, unknown> | null;
  status: Record<string, unknown>;
}

/** A change of any other kind, ready to go out as it is. `time` is in unix seconds; the platform leaves some out. */
export interface ChangeUpdate {
  waba_id: string;
  time?: number;
  field: string;
  value: Record<string, unknown>;
}

/** An update to send; `key` names it in the journal. */
export type WebhookUpdate =
  & { key: string; onDelivered: () => void }
  & ({ kind: "status"; update: StatusUpdate } | { kind: "change"; update: ChangeUpdate });

interface Change {
  field: string;
  value: Record<string, unknown>;
}

interface Entry {
  id: string;
  time?: number;
  changes: Change[];
}

/**
 * Packs updates into one webhook body. Statuses of one account share an entry, those of one number a change;
 * every other update has an entry of its own.
 */
export function webhookEnvelope(updates: WebhookUpdate[]): { object: string; entry: Entry[] } {
  const statuses = updates.flatMap((each) => each.kind === "status" ? [each.update] : []);
  const byAccount = Map.groupBy(statuses, (update) => update.waba_id);
  const entry: Entry[] = [...byAccount].map(([id, group]) => ({ id, changes: statusChanges(group) }));
  for (const each of updates) {
    if (each.kind === "change") entry.push(changeEntry(each.update));
  }
  return { object: "whatsapp_business_account", entry };
}

function statusChanges(updates: StatusUpdate[]): Change[] {
  return [...Map.groupBy(updates, (update) => update.phone_number_id)].map(([phone_number_id, group]) => ({
    field: "messages",
    value: {
      messaging_product: "whatsapp",
      metadata: { display_phone_number: group[0]!.display_phone_number, phone_number_id },
      ...contactsOf(group),
      statuses: group.map((update) => update.status),
    },
  }));
}

/** Each person once, though several statuses may be about the same one; nothing when all statuses are failures. */
function contactsOf(updates: StatusUpdate[]): { contacts?: Record<string, unknown>[] } {
  const contacts = new Map(
    updates.flatMap(({ contact }) => contact === null ? [] : [[contact.user_id, contact] as const]),
  );
  return contacts.size === 0 ? {} : { contacts: [...contacts.values()] };
}

function changeEntry({ waba_id, time, field, value }: ChangeUpdate): Entry {
  return { id: waba_id, ...(time !== undefined && { time }), changes: [{ field, value }] };
}
