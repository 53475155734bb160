import { company } from "../../../data/company.ts";
import type { InboxConversation, StoredContact } from "../../../data/sdk.ts";
import { session } from "../../../data/session/session.ts";
import { phone } from "../../../i18n/format.ts";
import { useAssignees, useContactOf } from "../inbox_data.ts";

/** Returns the values of variables in a conversation: the person's own facts, the member, the company. */
export function useCannedValues(conversation: InboxConversation): Record<string, string | undefined> {
  const contact = useContactOf(conversation);
  const me = useAssignees()?.find(({ user_id }) => user_id === session.value?.userId);
  const { number } = conversation;
  const name = contact?.name ?? conversation.contact?.name ?? undefined;
  return {
    ...attributesOf(contact),
    name,
    first_name: name?.split(/\s+/)[0],
    number: number === null ? undefined : phone(number),
    agent: me?.name ?? undefined,
    company: company.value?.name,
  };
}

function attributesOf(contact: StoredContact | undefined): Record<string, string> {
  const attributes = Object.entries(contact?.attributes ?? {});
  return Object.fromEntries(attributes.map(([name, value]) => [name, String(value)]));
}
