import { api, ask, askWithEtag } from "../../data/client.ts";
import { companyId } from "../../data/company.ts";
import { type List, useList } from "../../data/list.ts";
import { useLive } from "../../data/live/live.ts";
import { type Query, useQuery } from "../../data/query.ts";
import { useRows } from "../../data/rows.ts";
import {
  type CompanyKey,
  getCompanyKey,
  getUsage,
  listApiKeys,
  listPublishableKeys,
  type PublishableKey,
  type UsageOfDay,
} from "../../data/sdk.ts";
import { useThrottle } from "../../data/live/throttle.ts";

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
