/** A status update of a message, ready to go into `value.statuses`. */
export interface StatusUpdate {
  waba_id: string;
  phone_number_id: string;
  display_phone_number: string;
  status: Record<string, unknown>;
}

/** A `message_template_status_update`, ready to go out as `value`. `time` is in unix seconds. */
export interface TemplateUpdate {
  waba_id: string;
  time: number;
  value: Record<string, unknown>;
}

/** An update on its way; `key` names it in the journal. */
export type WebhookUpdate =
  & { key: string; told: () => void }
  & ({ kind: "status"; update: StatusUpdate } | { kind: "template"; update: TemplateUpdate });
