import { useState } from "preact/hooks";
import { ask, authApi } from "../../data/client.ts";
import { Problem } from "../../data/problem.ts";
import { setPassword } from "../../data/sdk.ts";
import type { LoggedIn } from "../../data/session.ts";
import { Field } from "../../parts/fields.tsx";
import { Form } from "../../parts/form.tsx";
import { words } from "./words.ts";

/** Sets the password of the account of a session, unless that has ended. */
export function NewPassword(
  { session, onSet, onEnded }: { session: LoggedIn; onSet: () => void; onEnded: () => void },
) {
  const [password, setNewPassword] = useState("");
  const { newPassword, newPasswordHelp, setAndGoOn, refusedPassword } = words();

  async function save(): Promise<void> {
    const headers = { Authorization: `Bearer ${session.token}` };
    try {
      await ask(setPassword({ client: authApi(), headers, body: { password } }));
    } catch (error) {
      if (error instanceof Problem && error.status === 401) return onEnded();
      throw error;
    }
    onSet();
  }

  return (
    <Form action={setAndGoOn} onSave={save} disabled={password === ""}>
      {(errorOf) => (
        <>
          {/* Password managers keep the new password under this name. */}
          <input type="email" autocomplete="username" value={session.email} hidden readOnly />
          <Field
            label={newPassword}
            type="password"
            autocomplete="new-password"
            value={password}
            help={newPasswordHelp}
            error={errorOf("password") && refusedPassword}
            onChange={setNewPassword}
          />
        </>
      )}
    </Form>
  );
}
