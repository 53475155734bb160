import { z } from "@hono/zod-openapi";
import { isNumber } from "../../values/address.ts";
import { channelSchema } from "../../contacts/ledger_entries.ts";
import { numberSchema, userIdSchema } from "../../contacts/address.ts";
import { pageFields } from "../app/list_page.ts";
import { accessKeyParam } from "../guards/access_key.ts";

/** The parameters of every list of the ledger. */
export const listQuery = z.object({
  access_key: accessKeyParam,
  number: numberSchema.optional(),
  user_id: userIdSchema.optional(),
  channel: channelSchema.optional(),
  ...pageFields,
});

/** The field that an address is returned in. */
export function personOf(address: string): { number: string } | { user_id: string } {
  return isNumber(address) ? { number: address } : { user_id: address };
}
