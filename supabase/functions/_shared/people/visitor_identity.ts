import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { Buffer } from "node:buffer";
import { z } from "@hono/zod-openapi";
import { numberSchema } from "../contacts/address.ts";
import { identitySecretOf } from "../crypto/seal.ts";
import { learnContacts } from "../db/people/contacts.ts";
import { readIdentitySecret } from "../db/people/identity_secrets.ts";
import { badFormat } from "../errors.ts";
import type { Services } from "../services.ts";
import { isOneLine } from "../values/control_characters.ts";
import { isStorable } from "../values/storable_text.ts";
import type { ContactAddress } from "./person.ts";

const SECRET_BYTES = 32;

/** Makes a secret for a website to sign its visitors with. */
export function newIdentitySecret(): string {
  return `idsec_${randomBytes(SECRET_BYTES).toString("base64url")}`;
}

const line = (max: number) => {
  const format = `one line of 1 to ${max} characters`;
  return z.string({ error: format }).min(1, format).max(max, format)
    .refine((text) => isOneLine(text) && isStorable(text), format);
};

/** A signature may be sent again until it ends. */
const MAX_VALID_DAYS = 31;
const MAX_VALID_MS = MAX_VALID_DAYS * 24 * 3600 * 1000;
const EXPIRES = `when the signature ends, in whole seconds since 1970, at most ${MAX_VALID_DAYS} days ahead`;
const HASH = "HMAC-SHA256 of the fields, as 64 hexadecimal digits";

/** The identity of a visitor, as the website's server has signed it. */
export const identitySchema = z.strictObject({
  id: line(200).openapi({ description: "Your own id of the person", example: "customer-4711" }),
  name: line(200).nullish(),
  email: z.email({ error: "an e-mail address" }).max(254).nullish(),
  number: numberSchema.nullish(),
  expires: z.int({ error: EXPIRES }).openapi({ description: EXPIRES, example: 1893456000 }),
  hash: z.string({ error: HASH }).regex(/^[0-9a-fA-F]{64}$/, HASH).openapi({ description: HASH }),
}).openapi("VisitorIdentity");

/** A visitor as the website describes them, before the signature is checked. */
export type VisitorIdentity = z.infer<typeof identitySchema>;

/** Returns what a website signs: the values in this order, each in a line, empty where there is none. */
export function signedText({ id, name, email, number, expires }: Omit<VisitorIdentity, "hash">): string {
  return [id, name ?? "", email ?? "", number ?? "", expires].join("\n");
}

/**
 * Checks who a visitor is, and returns their contact: only what the website's server has signed counts. Contacts of the
 * signed addresses become one.
 *
 * Throws `validation_failed` for a wrong signature, one that has expired, and a company without a secret.
 */
export async function identifyVisitor(
  { sql, sealer, now }: Pick<Services, "sql" | "sealer" | "now">,
  companyId: string,
  identity: VisitorIdentity,
): Promise<string> {
  const stored = await readIdentitySecret(sql, companyId);
  if (stored === undefined) {
    throw badFormat("identity", "", "nothing: this company has no secret for identities");
  }
  const secret = await sealer.open(stored.secret_sealed, identitySecretOf(companyId));
  const expected = createHmac("sha256", secret).update(signedText(identity)).digest();
  if (!timingSafeEqual(expected, Buffer.from(identity.hash, "hex"))) {
    throw badFormat("identity.hash", "", "the signature of these fields with the company's current secret");
  }
  if (identity.expires * 1000 <= now().getTime()) {
    throw badFormat("identity.expires", identity.expires, "a time in the future: this signature has expired");
  }
  if (identity.expires * 1000 > now().getTime() + MAX_VALID_MS) {
    throw badFormat("identity.expires", identity.expires, `at most ${MAX_VALID_DAYS} days ahead`);
  }
  const [learned] = await learnContacts(sql, companyId, [{
    addresses: addressesOf(identity),
    ...(identity.name && { name: identity.name.trim() || undefined }),
    overwrite: true,
  }], "visitor");
  return learned!.contact_id!;
}

function addressesOf({ id, email, number }: VisitorIdentity): ContactAddress[] {
  return [
    { kind: "visitor", address: id },
    ...(number ? [{ kind: "number" as const, address: number }] : []),
    ...(email ? [{ kind: "email" as const, address: email.toLowerCase() }] : []),
  ];
}
