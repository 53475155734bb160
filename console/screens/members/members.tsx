import { useState } from "preact/hooks";
import { link } from "../../data/company.ts";
import { changeQuery, route } from "../../data/route.ts";
import type { Member } from "../../data/sdk.ts";
import { MemberAvatar } from "../../components/member_avatar.tsx";
import { Button } from "../../components/button.tsx";
import { Empty } from "../../components/empty.tsx";
import { PageHead } from "../../components/page_head.tsx";
import { StatusBadge } from "../../components/status_badge.tsx";
import type { Column } from "../../components/table/columns.ts";
import { DataTable } from "../../components/table/data_table.tsx";
import { timeColumn } from "../../components/table/time_column.tsx";
import { InviteForm } from "./invite_form.tsx";
import { memberName, useMembers } from "./member_data.ts";
import { MemberDrawer } from "./member_drawer.tsx";
import { words } from "../../i18n/words.ts";

/** The members of the company, with what each may do. */
export default function Members() {
  const list = useMembers();
  const [isInviting, setInviting] = useState(false);
  const names = words().members;
  const { member } = route.value.query;
  const shown = member && list.rows?.find(({ user_id }) => user_id === member);
  return (
    <>
      <PageHead
        title={names.title}
        actions={<Button kind="main" icon="plus" onPress={() => setInviting(true)}>{names.invite}</Button>}
      />
      <DataTable
        label={names.title}
        list={list}
        columns={columns()}
        hrefOf={({ user_id }) => link(["members"], { ...route.value.query, member: user_id })}
        empty={<Empty title={names.none} />}
      />
      {shown && (
        <MemberDrawer
          key={shown.user_id}
          member={shown}
          onChanged={list.reload}
          onClose={() => changeQuery({ member: undefined })}
        />
      )}
      {isInviting && <InviteForm onClose={() => setInviting(false)} onSaved={list.reload} />}
    </>
  );
}

function columns(): Column<Member>[] {
  const names = words().members;
  return [
    {
      name: "email",
      title: names.email,
      cell: (member) => (
        <span class="with-avatar">
          <MemberAvatar name={member.name ?? memberName(member)} pictureUrl={member.picture_url} />
          {memberName(member)}
        </span>
      ),
      sortBy: memberName,
    },
    { name: "name", title: names.name, from: "wide", cell: ({ name }) => name },
    {
      name: "role",
      title: names.role,
      width: "112px",
      cell: ({ role }) => words().common.roles[role],
      sortBy: ({ role }) => role,
    },
    {
      name: "state",
      title: names.state,
      width: "128px",
      from: "medium",
      cell: ({ state }) => <StatusBadge status={state} />,
    },
    timeColumn("seen", names.lastSeen, ({ last_sign_in_at }) => last_sign_in_at, { sorts: true }),
  ];
}
