import { z } from "@hono/zod-openapi";
import { lockPeople, readContact } from "../../_shared/db/people/contacts.ts";
import type { SettingsDocument } from "../settings_document.ts";

/** The parameter of a contact's routes. */
export const contactParams = z.object({ contact_id: z.guid() });

const OTHERS = {
  last_seen_at: undefined,
  updated_at: undefined,
  opted_out: undefined,
  consent: undefined,
  list_ids: undefined,
};

/** The fields that a member changes of a contact. */
export const CONTACT_DOCUMENT: SettingsDocument<z.infer<typeof contactParams>> = {
  lock: (sql, { companyId }) => lockPeople(sql, companyId),
  read: async (sql, { companyId, params }) => {
    const contact = await readContact(sql, { companyId, contactId: params.contact_id });
    if (contact === undefined) return undefined;
    // A message, an opt-out or a place in a list changes nothing that a member does here.
    return { ...contact, ...OTHERS };
  },
};
