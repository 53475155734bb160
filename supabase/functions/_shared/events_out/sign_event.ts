import { Webhook } from "standardwebhooks";

export interface SignableEvent {
  id: string;
  /** When it is sent, not when it happened: receivers refuse what is minutes old. */
  at: Date;
  payload: string;
}

/**
 * The headers of Standard Webhooks: id, time and one signature for each secret, so that a receiver that still has the
 * old secret during a rotation finds its own.
 *
 * @param secrets `whsec_…`
 */
export function signEvent(secrets: string[], { id, at, payload }: SignableEvent): Record<string, string> {
  return {
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
    "webhook-signature": secrets.map((secret) => new Webhook(secret).sign(id, at, payload)).join(" "),
  };
}
