import { personOf } from "../../data/addresses.ts";
import { api, ask } from "../../data/client.ts";
import { companyId } from "../../data/company.ts";
import type { List } from "../../data/list.ts";
import { useLive } from "../../data/live/live.ts";
import { type Query, useQuery } from "../../data/query.ts";
import { useRows } from "../../data/rows.ts";
import { saveFile } from "../../data/save_file.ts";
import {
  type Call,
  type ContactMessage,
  exportPerson,
  findPerson,
  getSettings,
  listCalls,
  listCampaignFailures,
  listPersonNotifications,
  listReplies,
  type Person,
  type PersonNotification,
} from "../../data/sdk.ts";
import { useThrottle } from "../../data/live/throttle.ts";
import { explained } from "../../i18n/codes.ts";

/** Events do not name the person: what is shown is read after them, at most so often. */
const READ_MS = 4000;

/** Reads a person's addresses, suppressions and consents. */
export function usePerson(address: string): Query<Person> {
  const company_id = companyId();
  return useQuery(
    `person ${company_id} ${address}`,
    (signal) => ask(findPerson({ client: api(), path: { company_id }, query: personOf(address), signal })),
  );
}

/** Reads whether the company's marketing needs a consent. */
export function useConsentPolicy(): "off" | "warn" | "require" | undefined {
  const company_id = companyId();
  const { data } = useQuery(
    `settings ${company_id}`,
    (signal) => ask(getSettings({ client: api(), path: { company_id }, signal })),
  );
  return data?.contact_rules.consent_policy;
}

/** Reads what a person was sent, newest first. */
export function useSent(address: string): List<PersonNotification> {
  const query = personOf(address);
  const list = useRows(listPersonNotifications, "notifications", ({ notification_id }) => notification_id, {
    query,
  });
  const readAgain = useThrottle(list.reload, READ_MS);
  useLive("campaign", readAgain);
  return list;
}

/** Reads what a person wrote and was replied, newest first. */
export function usePersonMessages(address: string): List<ContactMessage> {
  const list = useRows(listReplies, "replies", ({ message_id }) => message_id, { query: personOf(address) });
  const readAgain = useThrottle(list.reload, READ_MS);
  useLive("message", ({ number, user_id }) => {
    if (number === address || user_id === address) readAgain();
  });
  return list;
}

/** Reads the calls to a number, newest first. */
export function useCallsTo(number: string): List<Call> {
  const list = useRows(listCalls, "calls", ({ notification_id }) => notification_id, { query: { number } });
  const readAgain = useThrottle(list.reload, READ_MS);
  useLive("call", (event) => event.number === number && readAgain());
  return list;
}

/** Reads what to do about a failure; undefined where the campaign has none of this code. */
export function useAdvice({ campaign_id, code }: PersonNotification) {
  const path = { company_id: companyId(), campaign_id };
  const { data } = useQuery(
    `campaign failures ${campaign_id}`,
    (signal) => ask(listCampaignFailures({ client: api(), path, signal })),
  );
  const advice = data?.failures.find((failure) => failure.code === (code ?? "unknown"));
  return advice && explained(advice);
}

/** Saves all that is known about a person as a file. */
export async function downloadPerson(address: string): Promise<void> {
  const request = { client: api(), path: { company_id: companyId() }, query: personOf(address) };
  const file = await ask(exportPerson({ ...request, parseAs: "blob" })) as unknown;
  saveFile(`contact-${address}.json`, file as Blob);
}
