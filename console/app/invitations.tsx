import { api, ask } from "../data/client.ts";
import { invitations, readCompanies } from "../data/company.ts";
import { acceptInvitation, declineInvitation, type Invitation } from "../data/sdk.ts";
import { Button } from "../components/button.tsx";
import { Notice } from "../components/notice.tsx";
import { attempt, toast } from "../components/dialog/toast.tsx";
import { words } from "../i18n/words.ts";

/** The companies that invited who is logged in. Accepting adds one to the list of companies; the page stays where it is. */
export function Invitations() {
  const { invitedTo, invitedHelp, roles, accept, decline } = words().common;
  return (
    <>
      {invitations.value.map((invitation) => (
        <Notice
          key={invitation.company_id}
          title={invitedTo(invitation.name, roles[invitation.role])}
          actions={
            <>
              <Button onPress={() => refuse(invitation)}>{decline}</Button>
              <Button kind="main" onPress={() => join(invitation)}>{accept}</Button>
            </>
          }
        >
          {invitedHelp}
        </Notice>
      ))}
    </>
  );
}

async function join({ company_id, name }: Invitation): Promise<void> {
  const done = await attempt(() => ask(acceptInvitation({ client: api(), path: { company_id } })));
  if (done) toast(words().common.joined(name));
  await readCompanies();
}

async function refuse({ company_id, name }: Invitation): Promise<void> {
  const done = await attempt(() => ask(declineInvitation({ client: api(), path: { company_id } })));
  if (done) toast(words().common.declined(name));
  await readCompanies();
}
