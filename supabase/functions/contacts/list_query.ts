import { z } from "@hono/zod-openapi";
import { isNumber } from "../_shared/address.ts";
import { channelSchema } from "../_shared/contacts/ledger_entries.ts";
import { pageQuery } from "../_shared/http/pages.ts";
import { numberSchema, userIdSchema } from "../_shared/contacts/address.ts";
import { utcSeconds } from "../_shared/scheduling/due_time.ts";

/** The parameters of every list of the ledger. */
export const listQuery = z.object({
  access_key: z.string(),
  number: numberSchema.optional(),
  user_id: userIdSchema.optional(),
  channel: channelSchema.optional(),
  ...pageQuery,
});

/** The field that an address is returned in. */
export function personOf(address: string): { number: string } | { user_id: string } {
  return isNumber(address) ? { number: address } : { user_id: address };
}

/** A time as the API returns it. */
export function timeOf(moment: Date | null): string | null {
  return moment && utcSeconds(moment);
}
