import { api, ask } from "../../../data/client.ts";
import { companyId } from "../../../data/company.ts";
import { type Query, useQuery } from "../../../data/query.ts";
import {
  addCannedReply,
  type CannedReply,
  type CannedReplyRequest,
  changeCannedReply,
  listCannedReplies,
  removeCannedReply,
} from "../../../data/sdk.ts";

/** More would not be found in a menu. */
const MAX_REPLIES = 1000;

/** Reads the texts that members choose from, by shortcut. */
export function useCannedReplies(): Query<CannedReply[]> {
  const path = { company_id: companyId() };
  return useQuery(`canned replies ${path.company_id}`, async (signal) => {
    const request = { client: api(), path, query: { limit: MAX_REPLIES }, signal };
    const { canned_replies } = await ask(listCannedReplies(request));
    return canned_replies.toSorted((a, b) => a.shortcut.localeCompare(b.shortcut));
  });
}

/** Adds one, or changes the one with the id. */
export async function saveCannedReply(id: string | undefined, body: CannedReplyRequest): Promise<void> {
  const path = { company_id: companyId() };
  if (id === undefined) await ask(addCannedReply({ client: api(), path, body }));
  else await ask(changeCannedReply({ client: api(), path: { ...path, canned_reply_id: id }, body }));
}

/** Removes one. */
export async function dropCannedReply(canned_reply_id: string): Promise<void> {
  await ask(removeCannedReply({ client: api(), path: { company_id: companyId(), canned_reply_id } }));
}
