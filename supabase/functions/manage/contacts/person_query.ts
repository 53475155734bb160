import { z } from "@hono/zod-openapi";
import { numberSchema, userIdSchema } from "../../_shared/contacts/address.ts";
import { channelSchema, contactIdSchema } from "../../_shared/contacts/ledger_entries.ts";
import { pageFields } from "../../_shared/http/app/list_page.ts";
import { isNumber } from "../../_shared/values/address.ts";

/** The parameters that name a person, under any address. */
export const personQuery = z.object({ number: numberSchema.optional(), user_id: userIdSchema.optional() });

/** The same, or the contact in place of an address. */
export const personKeyQuery = personQuery.extend({ contact_id: contactIdSchema.optional() });

/** The parameters of a list of suppressions or consents. */
export const ledgerQuery = personQuery.extend({ channel: channelSchema.optional(), ...pageFields });

/** The field that an address is returned in. */
export function personOf(address: string): { number: string } | { user_id: string } {
  return isNumber(address) ? { number: address } : { user_id: address };
}
