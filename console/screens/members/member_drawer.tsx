import { useState } from "preact/hooks";
import { api, ask } from "../../data/client.ts";
import { companyId, link, readCompanies, type Role } from "../../data/company.ts";
import { changeMember, type Member, removeMember } from "../../data/sdk.ts";
import { session } from "../../data/session/session.ts";
import { Button } from "../../components/button.tsx";
import { confirm } from "../../components/dialog/confirm.tsx";
import { Drawer } from "../../components/dialog/dialog.tsx";
import { Fact, Facts } from "../../components/facts.tsx";
import { StatusBadge } from "../../components/status_badge.tsx";
import { Time } from "../../components/time.tsx";
import { attempt, toast } from "../../components/dialog/toast.tsx";
import { invite } from "./invite_form.tsx";
import { memberName } from "./member_data.ts";
import { RoleSelect } from "./role_select.tsx";
import { words } from "../../i18n/words.ts";

/** One member, with what an owner may change. */
export function MemberDrawer({ member, onChanged, onClose }: {
  member: Member;
  onChanged: () => void;
  onClose: () => void;
}) {
  const [role, setRole] = useState<Role>(member.role);
  const names = words().members;
  const { email, state, user_id } = member;

  async function remove(): Promise<void> {
    if (await removeAfterConfirmation(member)) onClose();
    onChanged();
  }

  return (
    <Drawer
      title={memberName(member)}
      onClose={onClose}
      actions={
        <>
          <Button kind="danger" onPress={remove}>{names.remove}</Button>
          {state === "pending" && email && (
            <Button onPress={() => attempt(() => invite({ email, role: member.role }))}>
              {names.inviteAgain}
            </Button>
          )}
          <Button
            kind="main"
            disabled={role === member.role}
            onPress={() => changeRole(member, role, onChanged)}
          >
            {names.changeRole}
          </Button>
        </>
      }
    >
      <Facts>
        <Fact name={names.name}>{member.name}</Fact>
        <Fact name={names.state}>
          <StatusBadge status={state} />
        </Fact>
        <Fact name={names.added_}>
          <Time at={member.added_at} style="full" />
        </Fact>
        <Fact name={names.lastSeen}>
          <Time at={member.last_sign_in_at} style="full" />
        </Fact>
        <Fact name={names.changes}>
          <a href={link(["audit"], { actor: `user:${user_id}` })}>{names.byThem}</a>
          {" · "}
          <a href={link(["audit"], { subject: user_id })}>{names.aboutThem}</a>
        </Fact>
      </Facts>
      <div class="below">
        <RoleSelect value={role} onChange={setRole} />
      </div>
    </Drawer>
  );
}

async function changeRole(member: Member, role: Role, onDone: () => void): Promise<void> {
  const path = { company_id: companyId(), user_id: member.user_id };
  const done = await attempt(() => ask(changeMember({ client: api(), path, body: { role } })));
  if (done) {
    const text = words().members.roleChanged(memberName(member), words().common.roles[role]);
    toast(text, { undo: () => changeRole({ ...member, role }, member.role, onDone) });
  }
  onDone();
  if (isMe(member)) await readCompanies();
}

async function removeAfterConfirmation(member: Member): Promise<boolean> {
  const { removeTitle, removeText, remove: action, removed } = words().members;
  const title = removeTitle(memberName(member));
  if (!await confirm({ title, text: removeText, action, isDanger: true })) return false;
  const path = { company_id: companyId(), user_id: member.user_id };
  if (await attempt(() => ask(removeMember({ client: api(), path }))) === undefined) return false;
  toast(removed(memberName(member)));
  if (isMe(member)) await readCompanies();
  return true;
}

function isMe({ email }: Member): boolean {
  return email !== null && email.toLowerCase() === session.peek()?.email.toLowerCase();
}
