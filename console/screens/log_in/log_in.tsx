import { useEffect, useState } from "preact/hooks";
import { api, ask } from "../../data/client.ts";
import { Problem } from "../../data/problem.ts";
import { logIn } from "../../data/sdk.ts";
import { beginSession, ending } from "../../data/session.ts";
import { Button } from "../../parts/button.tsx";
import { ErrorNotice } from "../../parts/error_notice.tsx";
import { Field } from "../../parts/fields.tsx";
import { chooseLanguage, language, LANGUAGES } from "../../words/language.ts";
import type { Language } from "../../words/language.ts";
import { words as shared } from "../../words/words.ts";
import { words } from "./words.ts";

/** The log-in. The address stays, so that it leads back to where the person was. */
export function LogIn() {
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const [isTried, setTried] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const { title, endings, refused, forgotten } = words();
  useEffect(() => {
    document.title = `${title} · ${shared().product}`;
  }, [title]);

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
    <main class="log-in">
      <form class="card" onSubmit={submit} noValidate>
        <p class="product">{shared().product}</p>
        <h1>{title}</h1>
        {ending.value && <p role="status">{endings[ending.value]}</p>}
        {problem && (problem.code === "unauthorized"
          ? <p class="notice bad" role="alert">{refused}</p>
          : <ErrorNotice problem={problem} />)}
        <Field
          label={words().email}
          type="email"
          autocomplete="username"
          value={email}
          error={isTried && email === "" ? shared().required : undefined}
          onChange={setEmail}
        />
        <Field
          label={words().password}
          type="password"
          autocomplete="current-password"
          value={password}
          error={isTried && password === "" ? shared().required : undefined}
          onChange={setPassword}
        />
        <Button type="submit" kind="main" disabled={isBusy}>{title}</Button>
        <p class="help">{forgotten}</p>
        <p class="languages">
          {Object.entries(LANGUAGES).map(([code, name]) => (
            <button
              key={code}
              type="button"
              lang={code}
              aria-pressed={language.value === code}
              onClick={() => chooseLanguage(code as Language)}
            >
              {name}
            </button>
          ))}
        </p>
      </form>
    </main>
  );
}

async function begin(credentials: { email: string; password: string }): Promise<void> {
  const query = { grant_type: "password" } as const;
  const { access_token, expires_in, user } = await ask(logIn({ client: api(), query, body: credentials }));
  beginSession({
    token: access_token,
    userId: user.id,
    expiresAt: Date.now() + expires_in * 1000,
    email: user.email ?? credentials.email,
    name: user.user_metadata.name,
  });
}
