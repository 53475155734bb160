import { api, ask, askWithEtag } from "../../data/client.ts";
import { companyId } from "../../data/company.ts";
import { type List, useList } from "../../data/list.ts";
import { useLive } from "../../data/live/live.ts";
import { type Query, useQuery } from "../../data/query.ts";
import { useRows } from "../../data/rows.ts";
import {
  type CompanyKey,
  type FurtherKey,
  getCompanyKey,
  getFurtherKey,
  getUsage,
  type KeyRequest,
  listApiKeys,
  listFurtherKeys,
  listKeyRequests,
  listPublishableKeys,
  type PublishableKey,
  type UsageOfDay,
} from "../../data/sdk.ts";
import { useThrottle } from "../../data/live/throttle.ts";

/** Stands for the access key in an address. */
export const OWN_KEY = "own";

/** Use is not an event: it is read after those of campaigns, at most so often. */
const READ_MS = 5000;

/** The access key without its text, null where there is none, and what names its limits as they are. */
export interface KeySettings {
  key: CompanyKey | null;
  etag: string;
}

/** Reads the access key. */
export function useCompanyKey(): Query<KeySettings> {
  const path = { company_id: companyId() };
  return useQuery(`key ${path.company_id}`, (signal) => askWithEtag(getCompanyKey, { path, signal }));
}

/** Returns the access key's text; undefined where the API shows none. */
export async function readKeyText(): Promise<string | undefined> {
  const { validApiKeys } = await ask(listApiKeys({ client: api() }));
  return validApiKeys.find(({ company_id }) => company_id === companyId())?.key;
}

/** Reads what each key did on each of the last days. */
export function useUsage(days: number): List<UsageOfDay> {
  const path = { company_id: companyId() };
  const list = useList<UsageOfDay>({
    key: `usage ${path.company_id} ${days}`,
    idOf: ({ day, key_id }) => `${day} ${key_id}`,
    async read(_, signal) {
      const { usage } = await ask(getUsage({ client: api(), path, query: { days }, signal }));
      return { rows: usage, next: null };
    },
  });
  const readAgain = useThrottle(list.reload, READ_MS);
  useLive("campaign", readAgain);
  return list;
}

/** Reads the keys for web pages, newest first. */
export function usePublishableKeys(): List<PublishableKey> {
  return useRows(listPublishableKeys, "publishable_keys", ({ key_id }) => key_id);
}

/** Reads the keys beside the access key, newest first. */
export function useFurtherKeys(): List<FurtherKey> {
  return useRows(listFurtherKeys, "keys", ({ key_id }) => key_id);
}

/** Reads one of them, and what names its settings as they are. */
export function useFurtherKey(key_id: string): Query<{ key: FurtherKey; etag: string }> {
  const path = { company_id: companyId(), key_id };
  return useQuery(`further key ${key_id}`, async (signal) => {
    const { etag, ...key } = await askWithEtag(getFurtherKey, { path, signal });
    return { key, etag };
  });
}

/** The filters of a key's requests, as they are in the address. */
export type RequestFilters = Partial<Record<"path" | "code" | "request_id" | "refused", string | undefined>>;

/** Reads the requests of a key, newest first. */
export function useKeyRequests(key_id: string, query: RequestFilters): List<KeyRequest> {
  return useRows(listKeyRequests, "requests", ({ request_id }) => request_id, { path: { key_id }, query });
}
