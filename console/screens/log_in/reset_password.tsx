import { useState } from "preact/hooks";
import { ask, authApi } from "../../data/client.ts";
import { recoverAccount } from "../../data/sdk.ts";
import { Button } from "../../components/button.tsx";
import { Field } from "../../components/form/fields.tsx";
import { Form } from "../../components/form/form.tsx";
import { words } from "../../i18n/words.ts";

/** Has a link to set a new password sent. What it says is the same whether there is an account or not. */
export function ResetPassword({ email: given, onLeave }: { email: string; onLeave: () => void }) {
  const [email, setEmail] = useState(given);
  const [isSent, setSent] = useState(false);
  const { email: label, resetHelp, sendLink, linkSent, toLogIn } = words().logIn;

  async function send(): Promise<void> {
    await ask(recoverAccount({ client: authApi(), body: { email } }));
    setSent(true);
  }

  const back = <Button onPress={onLeave}>{toLogIn}</Button>;
  if (isSent) {
    return (
      <>
        <p role="status">{linkSent}</p>
        {back}
      </>
    );
  }
  return (
    <>
      <p>{resetHelp}</p>
      <Form action={sendLink} onSave={send} others={back} disabled={email === ""}>
        {(errorOf) => (
          <Field
            label={label}
            type="email"
            autocomplete="username"
            value={email}
            error={errorOf("email")}
            onChange={setEmail}
          />
        )}
      </Form>
    </>
  );
}
