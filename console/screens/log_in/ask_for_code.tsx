import { useEffect } from "preact/hooks";
import { api } from "../../data/client.ts";
import { readCompanies } from "../../data/company.ts";
import { endSession } from "../../data/session.ts";
import { goOnWith } from "../../data/tokens.ts";
import { Button } from "../../components/button.tsx";
import { words as shared } from "../../i18n/words.ts";
import { SecondFactor } from "./second_factor.tsx";
import { words } from "./words.ts";

/** The second step of the log-in, for who has set up a second factor. */
export function AskForCode() {
  const { codeTitle } = words();
  useEffect(() => {
    document.title = `${codeTitle} · ${shared().product}`;
  }, [codeTitle]);
  return (
    <main class="log-in">
      <div class="card">
        <p class="product">{shared().product}</p>
        <h1>{codeTitle}</h1>
        <SecondFactor
          credential={{ client: api() }}
          onVerified={(tokens) => {
            goOnWith(tokens);
            return readCompanies();
          }}
        />
        <Button onPress={() => endSession("left")}>{shared().logOut}</Button>
      </div>
    </main>
  );
}
