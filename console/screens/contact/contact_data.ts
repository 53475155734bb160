import { askWithEtag, ifMatch } from "../../data/client.ts";
import { companyId } from "../../data/company.ts";
import type { List } from "../../data/list.ts";
import { useLive } from "../../data/live/live.ts";
import { useThrottle } from "../../data/live/throttle.ts";
import { type Query, useQuery } from "../../data/query.ts";
import { useRows } from "../../data/rows.ts";
import {
  changeContact,
  type ContactChanges,
  getContact,
  getContactTimeline,
  type StoredContact,
  type TimelineEntry,
} from "../../data/sdk.ts";
import { attempt } from "../../components/dialog/toast.tsx";

const PAGE = 50;

/** Events do not name the contact: what is shown is read after them, at most so often. */
const READ_MS = 4000;

/** A contact, and what names it as it was read. */
export type Contact = StoredContact & { etag: string };

/** Reads a contact. */
export function useContact(contactId: string): Query<Contact> {
  const path = { company_id: companyId(), contact_id: contactId };
  return useQuery(`contact ${contactId}`, (signal) => askWithEtag(getContact, { path, signal }));
}

/** Changes a contact, and returns whether it is changed. A change that another member made meanwhile is not overwritten. */
export type Change = (changes: ContactChanges) => Promise<boolean>;

/** Returns what changes a contact that was read. */
export function changeOf({ contact_id, etag }: Contact, query: Query<Contact>): Change {
  return async (body) => {
    const path = { company_id: companyId(), contact_id };
    const saved = await attempt(() => askWithEtag(changeContact, { path, body, headers: ifMatch(etag) }));
    if (saved === undefined) return false;
    query.patch(() => saved);
    return true;
  };
}

/** Reads all that happened with a person, the newest first. */
export function useTimeline(contactId: string): List<TimelineEntry> {
  const list = useRows(getContactTimeline, "entries", ({ kind, id, at }) => `${kind} ${id} ${at}`, {
    path: { contact_id: contactId },
    limit: PAGE,
  });
  const readAgain = useThrottle(list.reload, READ_MS);
  useLive("message", readAgain);
  useLive("campaign", readAgain);
  useLive("call", readAgain);
  return list;
}
