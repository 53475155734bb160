import { api, ask } from "../client.ts";
import { companyId, may } from "../company.ts";
import { readPushRecord, writePreference } from "../preferences.ts";
import { useQuery } from "../query.ts";
import { listMyPushSubscriptions, removeMyPushSubscription, saveMyPushSubscription } from "../sdk.ts";
import { session } from "../session/session.ts";
import { language } from "../../i18n/language.ts";

const WORKER = "service_worker.js";

/** The only text that may become a script, whatever is asked for. */
const policy = (globalThis as { trustedTypes?: TrustedTypes }).trustedTypes
  ?.createPolicy("outbound-worker", { createScriptURL: () => WORKER });

interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL(): string }): { createScriptURL(text: string): string };
}

/** Notifications on this device while the console is closed. */
export interface Push {
  /** The service and this browser have them. */
  isOffered: boolean;
  isOn: boolean;
  /** Switches them on. Returns false where the browser has no push service. */
  start(): Promise<boolean>;
  stop(): Promise<void>;
}

/** Returns those of the company that is shown; undefined until they are known. */
export function usePush(): Push | undefined {
  const company_id = companyId();
  const key = `push ${company_id} ${language.value}`;
  const { data, problem, reload } = useQuery(key, () => readPush(company_id));
  if (data === undefined && problem === undefined) return undefined;
  return {
    isOffered: Boolean(data?.publicKey),
    isOn: data?.id !== undefined,
    async start() {
      const subscription = await subscribe(data!.publicKey!);
      if (subscription) await save(company_id, subscription);
      reload();
      return subscription !== undefined;
    },
    async stop() {
      if (data?.id === undefined) return;
      await ask(removeMyPushSubscription({ client: api(), path: { company_id, subscription_id: data.id } }));
      remember(company_id, undefined);
      reload();
    },
  };
}

/** Reads the state, and stores the language if the member has chosen another since. */
async function readPush(company_id: string): Promise<{ publicKey: string | null; id: string | undefined }> {
  if (!("PushManager" in globalThis) || !navigator.serviceWorker || !may("operator")) {
    return { publicKey: null, id: undefined };
  }
  const { public_key: publicKey, subscriptions } = await ask(
    listMyPushSubscriptions({ client: api(), path: { company_id } }),
  );
  const subscription = await findSubscription();
  if (publicKey === null || !subscription || !readPushRecord()?.ids[company_id]) {
    return { publicKey, id: undefined };
  }
  const known = subscriptions.find(({ endpoint }) => endpoint === subscription.endpoint);
  remember(company_id, known?.subscription_id);
  if (known && known.language !== language.value) await save(company_id, subscription);
  return { publicKey, id: known?.subscription_id };
}

async function findSubscription(): Promise<PushSubscription | null> {
  return await (await navigator.serviceWorker?.getRegistration())?.pushManager.getSubscription() ?? null;
}

async function subscribe(publicKey: string): Promise<PushSubscription | undefined> {
  const known = await findSubscription();
  if (known && keyOf(known) !== publicKey) await known.unsubscribe();
  try {
    await navigator.serviceWorker.register(policy?.createScriptURL("") ?? WORKER);
    const { pushManager } = await navigator.serviceWorker.ready;
    return await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: publicKey });
  } catch (error) {
    if (error instanceof DOMException) return undefined;
    throw error;
  }
}

function keyOf({ options }: PushSubscription): string {
  const bytes = new Uint8Array(options.applicationServerKey ?? new ArrayBuffer());
  return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

async function save(company_id: string, subscription: PushSubscription): Promise<void> {
  const { endpoint, keys } = subscription.toJSON() as {
    endpoint: string;
    keys: { p256dh: string; auth: string };
  };
  const { subscription_id } = await ask(saveMyPushSubscription({
    client: api(),
    path: { company_id },
    body: { endpoint, keys: { p256dh: keys.p256dh, auth: keys.auth }, language: language.value },
  }));
  remember(company_id, subscription_id);
}

function remember(company_id: string, id: string | undefined): void {
  const userId = session.peek()!.userId;
  const { [company_id]: _, ...others } = readPushRecord()?.ids ?? {};
  const ids = { ...others, ...(id && { [company_id]: id }) };
  writePreference("push", Object.keys(ids).length > 0 ? JSON.stringify({ userId, ids }) : "");
}
