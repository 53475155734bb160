import { useState } from "preact/hooks";
import { api, ask } from "../../data/client.ts";
import { type EnrolledFactor, enrollFactor, type Session } from "../../data/sdk.ts";
import { goOnWith } from "../../data/session/tokens.ts";
import { Copy } from "../../components/copy.tsx";
import { Dialog } from "../../components/dialog/dialog.tsx";
import { Field } from "../../components/form/fields.tsx";
import { Form } from "../../components/form/form.tsx";
import { toast } from "../../components/dialog/toast.tsx";
import { CodeForm } from "../log_in/code_form.tsx";
import { words } from "../../i18n/words.ts";

/** Sets up an app that shows codes, in two steps: its name, then its first code. */
export function SetUpFactor({ onClose, onSaved }: { onClose: () => void; onSaved: () => void }) {
  const [enrolled, setEnrolled] = useState<EnrolledFactor>();

  function finish(tokens: Session): void {
    goOnWith(tokens);
    toast(words().account.isSetUp);
    onClose();
    onSaved();
  }

  return (
    <Dialog title={words().account.setUp} onClose={onClose} staysOpen>
      {enrolled === undefined ? <NameForm onEnrolled={setEnrolled} /> : (
        <>
          <p>{words().account.scan}</p>
          <img class="qr-code" alt={words().account.picture} src={pictureOf(enrolled)} />
          <p class="secret">
            <code aria-label={words().account.secret}>{enrolled.secret}</code>
            <Copy text={enrolled.secret} />
          </p>
          <CodeForm
            credential={{ client: api() }}
            factorId={enrolled.factor_id}
            action={words().account.finish}
            onVerified={finish}
          />
        </>
      )}
    </Dialog>
  );
}

function NameForm({ onEnrolled }: { onEnrolled: (enrolled: EnrolledFactor) => void }) {
  const [name, setName] = useState(words().account.defaultName);
  const save = async () => onEnrolled(await ask(enrollFactor({ client: api(), body: { name } })));
  return (
    <Form action={words().account.next} onSave={save} disabled={name.trim() === ""}>
      {(errorOf) => (
        <Field
          label={words().account.name}
          help={words().account.nameHelp}
          value={name}
          error={errorOf("name")}
          onChange={setName}
        />
      )}
    </Form>
  );
}

/** As an image, in which an SVG can run nothing. */
function pictureOf({ qr_code }: EnrolledFactor): string {
  return `data:image/svg+xml,${encodeURIComponent(qr_code)}`;
}
