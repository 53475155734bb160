import { useEffect, useState } from "preact/hooks";
import { ask } from "../../data/client.ts";
import { Problem } from "../../data/problem.ts";
import { type Factor, listFactors, type Session } from "../../data/sdk.ts";
import { ErrorNotice } from "../../components/error_notice.tsx";
import { Select } from "../../components/form/fields.tsx";
import { CodeForm, type Credential } from "./code_form.tsx";
import { words } from "../../i18n/words.ts";

/** Finds the second factors of a session's user, and asks for a code of one of them. */
export function SecondFactor(
  { credential, onVerified }: { credential: Credential; onVerified: (tokens: Session) => unknown },
) {
  const [factors, setFactors] = useState<Factor[]>();
  const [chosen, setChosen] = useState<string>();
  const [problem, setProblem] = useState<Problem>();

  async function read(): Promise<void> {
    setProblem(undefined);
    try {
      const found = await ask(listFactors(credential));
      setFactors(found.factors.filter(({ is_verified, type }) => is_verified && type === "totp"));
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      setProblem(error);
    }
  }

  useEffect(() => void read(), []);
  if (problem) return <ErrorNotice problem={problem} onRetry={read} />;
  if (factors === undefined) return <p role="status">{words().common.loading}</p>;
  const factorId = chosen ?? factors[0]?.factor_id;
  if (factorId === undefined) return <p role="alert">{words().logIn.otherFactor}</p>;
  return (
    <>
      {factors.length > 1 && (
        <Select
          label={words().logIn.app}
          value={factorId}
          options={factors.map(({ factor_id, name }) => [factor_id, name] as const)}
          onChange={setChosen}
        />
      )}
      <CodeForm
        key={factorId}
        credential={credential}
        factorId={factorId}
        action={words().logIn.goOn}
        onVerified={onVerified}
      />
    </>
  );
}
