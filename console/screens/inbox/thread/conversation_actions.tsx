import { api, ask } from "../../../data/client.ts";
import { companyId } from "../../../data/company.ts";
import {
  assignConversation,
  closeConversation,
  type InboxConversation,
  reopenConversation,
} from "../../../data/sdk.ts";
import { session } from "../../../data/session/session.ts";
import { Button } from "../../../components/button.tsx";
import { confirm } from "../../../components/dialog/confirm.tsx";
import { Select } from "../../../components/form/fields.tsx";
import { attempt, toast } from "../../../components/dialog/toast.tsx";
import { useAssignees } from "../inbox_data.ts";
import { memberName } from "../../../components/author.ts";
import { words } from "../../../i18n/words.ts";

/** Gives the conversation to a member; the event of it comes back to all who look. */
export function AssignSelect({ conversation }: { conversation: InboxConversation }) {
  const { assigned_to } = conversation;
  const members = useAssignees();
  const me = session.value?.userId ?? "";
  const { assignee, unassigned, myself, unknown } = words().inbox;
  const others = (members ?? []).filter(({ user_id, role }) => user_id !== me && role !== "viewer");
  const isKnown = !assigned_to || assigned_to === me || others.some(({ user_id }) => user_id === assigned_to);
  return (
    <Select
      label={assignee}
      hideLabel
      value={assigned_to ?? ""}
      options={[
        ["", unassigned],
        [me, myself],
        ...others.map((member) => [member.user_id, memberName(member)] as const),
        ...(isKnown ? [] : [[assigned_to, unknown] as const]),
      ]}
      onChange={(member) => assign(conversation, member === "" ? null : member)}
    />
  );
}

/** Gives a conversation to a member, or takes it from one. */
export async function assign({ conversation_id, assigned_to }: InboxConversation, user_id: string | null) {
  const path = { company_id: companyId(), conversation_id };
  const give = (to: string | null) =>
    attempt(() => ask(assignConversation({ client: api(), path, body: { user_id: to } })));
  if (await give(user_id)) toast(words().inbox.assigned, { undo: () => give(assigned_to) });
}

/** Closes it: a chat for good, so it asks first; a thread until the person writes. */
export function CloseButton({ conversation }: { conversation: InboxConversation }) {
  const { close, reopen } = words().inbox;
  if (conversation.state === "closed") {
    if (conversation.kind === "chat") return null;
    return <Button icon="again" onPress={() => open(conversation)}>{reopen}</Button>;
  }
  return <Button icon="close" onPress={() => end(conversation)}>{close}</Button>;
}

/** Closes a conversation. */
export async function end(conversation: InboxConversation): Promise<void> {
  const { close, closed, closeTitle, closeText } = words().inbox;
  const { conversation_id, kind } = conversation;
  if (kind === "chat" && !await confirm({ title: closeTitle, text: closeText, action: close })) return;
  const path = { company_id: companyId(), conversation_id };
  if (!await attempt(() => ask(closeConversation({ client: api(), path })))) return;
  toast(closed, kind === "chat" ? {} : { undo: () => open(conversation) });
}

async function open({ conversation_id }: InboxConversation): Promise<void> {
  const path = { company_id: companyId(), conversation_id };
  if (await attempt(() => ask(reopenConversation({ client: api(), path })))) toast(words().inbox.reopened);
}
