import { authApi } from "../client.ts";
import { readPushRecord, writePreference } from "../preferences.ts";
import { removeMyPushSubscription } from "../sdk.ts";

/**
 * Ends the notifications of this browser. Those that the service still has are removed when the push service refuses the
 * next one.
 *
 * @param token the member's, while it opens something
 */
export async function endPush(token?: string): Promise<void> {
  const record = readPushRecord();
  if (record === undefined) return;
  writePreference("push", "");
  void unsubscribe();
  const headers = { Authorization: `Bearer ${token}` };
  await Promise.allSettled(
    Object.entries(token ? record.ids : {}).map(([company_id, subscription_id]) =>
      removeMyPushSubscription({
        client: authApi(),
        path: { company_id, subscription_id },
        headers,
        keepalive: true,
      })
    ),
  );
}

async function unsubscribe(): Promise<void> {
  const registration = await navigator.serviceWorker.getRegistration();
  await (await registration?.pushManager.getSubscription())?.unsubscribe();
}
