import { api, ask } from "../../data/client.ts";
import { companyId } from "../../data/company.ts";
import { useLive } from "../../data/live/live.ts";
import { type Query, useQuery } from "../../data/query.ts";
import { getSender, type SenderDetails } from "../../data/sdk.ts";
import { useThrottle } from "../../data/live/throttle.ts";

/** How much waits changes with every campaign. */
const READ_MS = 3000;

/** The parameters of the SDK's functions for one sender. */
export interface SenderPath {
  company_id: string;
  sender_id: string;
}

/** Names a sender of the company that is shown. */
export function senderPath(senderId: string): SenderPath {
  return { company_id: companyId(), sender_id: senderId };
}

/** Reads a sender; events change it. */
export function useSender(path: SenderPath): Query<SenderDetails> {
  const sender = useQuery(
    `sender ${path.sender_id}`,
    (signal) => ask(getSender({ client: api(), path, signal })),
  );
  const readAgain = useThrottle(sender.reload, READ_MS);
  useLive("sender", ({ sender_id, ...change }) => {
    if (sender_id !== path.sender_id) return;
    sender.patch((known) => ({ ...known, ...change as Partial<SenderDetails> }));
    readAgain();
  });
  useLive("campaign", readAgain);
  return sender;
}
