import { api } from "../../data/client.ts";
import { readCompanies } from "../../data/company.ts";
import { endSession } from "../../data/session/session.ts";
import { goOnWith } from "../../data/session/tokens.ts";
import { Button } from "../../components/button.tsx";
import { CardPage } from "./card_page.tsx";
import { SecondFactor } from "./second_factor.tsx";
import { words } from "../../i18n/words.ts";

/** The second step of the log-in, for who has set up a second factor. */
export function AskForCode() {
  return (
    <CardPage title={words().logIn.codeTitle}>
      <SecondFactor
        credential={{ client: api() }}
        onVerified={(tokens) => {
          goOnWith(tokens);
          return readCompanies();
        }}
      />
      <Button onPress={() => endSession("left")}>{words().common.logOut}</Button>
    </CardPage>
  );
}
