import { useState } from "preact/hooks";
import { api, ask } from "../../data/client.ts";
import { companyId, type Role } from "../../data/company.ts";
import { type AddedMember, addMember, type MemberRequest } from "../../data/sdk.ts";
import { Field } from "../../components/form/fields.tsx";
import { FormDialog } from "../../components/form/form.tsx";
import { toast } from "../../components/dialog/toast.tsx";
import { RoleSelect } from "./role_select.tsx";
import { words } from "../../i18n/words.ts";

/** Invites a member by e-mail. */
export function InviteForm({ onClose, onSaved }: { onClose: () => void; onSaved: () => void }) {
  const [email, setEmail] = useState("");
  const [name, setName] = useState("");
  const [role, setRole] = useState<Role>("operator");
  const names = words().members;

  async function save(): Promise<void> {
    await invite({ email: email.trim(), role, ...(name.trim() && { name: name.trim() }) });
    onClose();
    onSaved();
  }

  return (
    <FormDialog title={names.invite} action={names.invite} onSave={save} onClose={onClose}>
      {(errorOf) => (
        <>
          <Field
            label={names.email}
            type="email"
            value={email}
            help={names.emailHelp}
            error={errorOf("email")}
            onChange={setEmail}
          />
          <Field label={names.name} value={name} error={errorOf("name")} onChange={setName} />
          <RoleSelect value={role} onChange={setRole} />
        </>
      )}
    </FormDialog>
  );
}

/** Sends an invitation, perhaps again, and says what came of it. */
export async function invite(body: MemberRequest): Promise<AddedMember> {
  const done = await ask(addMember({ client: api(), path: { company_id: companyId() }, body }));
  const { invited, known } = words().members;
  toast(done.invited ? invited(body.email) : known(body.email));
  return done;
}
