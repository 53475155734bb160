import { useState } from "preact/hooks";
import { ask, authApi } from "../../data/client.ts";
import { Problem } from "../../data/problem.ts";
import { logIn } from "../../data/sdk.ts";
import { beginSession, ending } from "../../data/session/session.ts";
import { sessionOf } from "../../data/session/tokens.ts";
import { Button } from "../../components/button.tsx";
import { ErrorNotice } from "../../components/error_notice.tsx";
import { Field } from "../../components/form/fields.tsx";
import { language, LANGUAGE_NAMES } from "../../i18n/language.ts";
import { CardPage } from "./card_page.tsx";
import { ResetPassword } from "./reset_password.tsx";
import { attempt } from "../../components/dialog/toast.tsx";
import { chooseLanguage, words } from "../../i18n/words.ts";

/** The log-in. The address stays, so that it leads back to where the person was. */
export function LogIn() {
  const [email, setEmail] = useState("");
  const [isResetting, setResetting] = useState(false);
  const { title, resetTitle, forgotPassword } = words().logIn;
  return (
    <CardPage title={isResetting ? resetTitle : title}>
      {isResetting ? <ResetPassword email={email} onLeave={() => setResetting(false)} /> : (
        <>
          <Credentials email={email} onEmail={setEmail} />
          <Button kind="quiet" onPress={() => setResetting(true)}>{forgotPassword}</Button>
        </>
      )}
      <Languages />
    </CardPage>
  );
}

function Credentials({ email, onEmail }: { email: string; onEmail: (email: string) => void }) {
  const [password, setPassword] = useState("");
  const [isTried, setTried] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const { title, endings, refused } = words().logIn;

  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    setTried(true);
    if (email === "" || password === "" || isBusy) return;
    setBusy(true);
    try {
      await begin({ email, password });
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      setProblem(error);
      setBusy(false);
    }
  }

  return (
    <form class="form" onSubmit={submit} noValidate>
      {ending.value && <p role="status">{endings[ending.value]}</p>}
      {problem && (problem.code === "unauthorized"
        ? <p class="notice bad" role="alert">{refused}</p>
        : <ErrorNotice problem={problem} />)}
      <Field
        label={words().logIn.email}
        type="email"
        autocomplete="username"
        value={email}
        error={isTried && email === "" ? words().common.required : undefined}
        onChange={onEmail}
      />
      <Field
        label={words().logIn.password}
        type="password"
        autocomplete="current-password"
        value={password}
        error={isTried && password === "" ? words().common.required : undefined}
        onChange={setPassword}
      />
      <Button type="submit" kind="main" disabled={isBusy}>{title}</Button>
    </form>
  );
}

function Languages() {
  return (
    <p class="languages">
      {LANGUAGE_NAMES.map(([code, name]) => (
        <button
          key={code}
          type="button"
          lang={code}
          aria-pressed={language.value === code}
          onClick={() => attempt(() => chooseLanguage(code))}
        >
          {name}
        </button>
      ))}
    </p>
  );
}

async function begin(credentials: { email: string; password: string }): Promise<void> {
  const query = { grant_type: "password" } as const;
  const tokens = await ask(logIn({ client: authApi(), query, body: credentials }));
  beginSession({ ...sessionOf(tokens), email: tokens.user.email ?? credentials.email });
}
