/**
 * The row a secret belongs to, in one text. A secret is sealed for its owner and opens for no other, so somebody with
 * write access to the database cannot have one company's token used for another.
 */
export type SecretOwner = string & { readonly secretOwner: unique symbol };

/** The sealed text that shows whether a SECRETS_KEY is the right one. */
export const CANARY = owner("settings/secrets_canary");

/** A company's access key. */
export function accessKeyOf(companyId: string, keyId: string): SecretOwner {
  return owner(`api_keys/${companyId}/${keyId}`);
}

/** The platform's token of a sender. */
export function senderTokenOf(companyId: string, senderId: string): SecretOwner {
  return owner(`senders/${companyId}/${senderId}`);
}

/** Of the current secret and of the one before it: a rotation moves the sealed text from one column to the other. */
export function webhookSecretOf(companyId: string): SecretOwner {
  return owner(`webhooks/${companyId}`);
}

function owner(text: string): SecretOwner {
  return text.toLowerCase() as SecretOwner;
}
