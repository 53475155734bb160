import { useState } from "preact/hooks";
import { ask, authApi } from "../../data/client.ts";
import { Problem } from "../../data/problem.ts";
import { setPassword } from "../../data/sdk.ts";
import type { LoggedIn } from "../../data/session/session.ts";
import { sessionOf } from "../../data/session/tokens.ts";
import { Field } from "../../components/form/fields.tsx";
import { Form } from "../../components/form/form.tsx";
import { SecondFactor } from "./second_factor.tsx";
import { words } from "../../i18n/words.ts";

interface NewPasswordProps {
  session: LoggedIn;
  /** Called with the session after the code of a second factor, where the account has one. */
  onVerified: (session: LoggedIn) => void;
  onSet: () => void;
  onEnded: () => void;
}

/** Sets the password of the account of a session, unless that has ended. */
export function NewPassword({ session, onVerified, onSet, onEnded }: NewPasswordProps) {
  const [isCodeNeeded, setCodeNeeded] = useState(false);
  const [password, setNewPassword] = useState("");
  const { newPassword, newPasswordHelp, setAndGoOn, refusedPassword } = words().logIn;

  const credential = {
    client: authApi(),
    headers: { Authorization: `Bearer ${session.token}` },
  };

  async function save(): Promise<void> {
    try {
      await ask(setPassword({ ...credential, body: { password } }));
    } catch (error) {
      if (error instanceof Problem && error.status === 401) return onEnded();
      if (error instanceof Problem && error.code === "second_factor_required") return setCodeNeeded(true);
      throw error;
    }
    onSet();
  }

  if (isCodeNeeded) {
    return (
      <SecondFactor
        credential={credential}
        onVerified={(tokens) => {
          setCodeNeeded(false);
          onVerified(sessionOf(tokens, session.id));
        }}
      />
    );
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
