/** A status update of a message, ready to go into `value.statuses`. */
export interface StatusUpdate {
  waba_id: string;
  phone_number_id: string;
  display_phone_number: string;
  status: Record<string, unknown>;
}

/** A change of any other kind, ready to go out as it is. `time` is in unix seconds; the platform leaves some out. */
export interface ChangeUpdate {
  waba_id: string;
  time?: number;
  field: string;
  value: Record<string, unknown>;
}

/** An update on its way; `key` names it in the journal. */
export type WebhookUpdate =
  & { key: string; told: () => void }
  & ({ kind: "status"; update: StatusUpdate } | { kind: "change"; update: ChangeUpdate });
