import { useEffect } from "preact/hooks";
import { api } from "../../data/client.ts";
import { readCompanies } from "../../data/company.ts";
import { endSession } from "../../data/session/session.ts";
import { goOnWith } from "../../data/session/tokens.ts";
import { Product } from "../../components/mark.tsx";
import { Button } from "../../components/button.tsx";
import { SecondFactor } from "./second_factor.tsx";
import { words } from "../../i18n/words.ts";

/** The second step of the log-in, for who has set up a second factor. */
export function AskForCode() {
  const { codeTitle } = words().logIn;
  useEffect(() => {
    document.title = `${codeTitle} · ${words().common.product}`;
  }, [codeTitle]);
  return (
    <main class="log-in">
      <div class="card">
        <Product />
        <h1>{codeTitle}</h1>
        <SecondFactor
          credential={{ client: api() }}
          onVerified={(tokens) => {
            goOnWith(tokens);
            return readCompanies();
          }}
        />
        <Button onPress={() => endSession("left")}>{words().common.logOut}</Button>
      </div>
    </main>
  );
}
