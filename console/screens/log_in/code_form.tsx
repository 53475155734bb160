import { useState } from "preact/hooks";
import { ask } from "../../data/client.ts";
import { type Client, type Session, verifyFactor } from "../../data/sdk.ts";
import { Field } from "../../components/form/fields.tsx";
import { Form } from "../../components/form/form.tsx";
import { words } from "../../i18n/words.ts";

/** The client for the requests of a session: it adds the token, or the header does. */
export interface Credential {
  client: Client;
  headers?: { Authorization: string };
}

/** Asks for the code of a second factor, and goes on with the tokens that it gets. */
export function CodeForm(
  { credential, factorId, action, onVerified }: {
    credential: Credential;
    factorId: string;
    action: string;
    onVerified: (tokens: Session) => unknown;
  },
) {
  const [code, setCode] = useState("");
  const { code: label, codeHelp, refusedCode } = words().logIn;

  async function verify(): Promise<void> {
    const digits = code.replaceAll(/\s/g, "");
    const request = { ...credential, path: { factor_id: factorId }, body: { code: digits } };
    await onVerified(await ask(verifyFactor(request)));
  }

  return (
    <Form action={action} onSave={verify} disabled={code === ""}>
      {(errorOf) => (
        <Field
          label={label}
          autocomplete="one-time-code"
          inputMode="numeric"
          value={code}
          help={codeHelp}
          error={errorOf("code") && refusedCode}
          onChange={setCode}
        />
      )}
    </Form>
  );
}
