import { useState } from "preact/hooks";
import { type Arrival, arrival } from "../../data/session/arrival.ts";
import { beginSession, type LoggedIn } from "../../data/session/session.ts";
import { logOutOf } from "../../data/session/tokens.ts";
import { Button } from "../../components/button.tsx";
import { CardPage } from "./card_page.tsx";
import { NewPassword } from "./new_password.tsx";
import { words } from "../../i18n/words.ts";

/**
 * Asks who came by the link of an e-mail whether they want to log in with it: an attacker can write a link that logs
 * others into an account of their own.
 */
export function Arrive({ with: { session: arrived, kind } }: { with: Arrival }) {
  const [session, setSession] = useState(arrived);
  const { arriveTitles, arriveAs, goOn, brokenTitle, broken, toLogIn } = words().logIn;
  if (session === undefined) {
    return (
      <CardPage title={brokenTitle}>
        <p>{broken}</p>
        <Button kind="main" onPress={() => leave(session)}>{toLogIn}</Button>
      </CardPage>
    );
  }
  return (
    <CardPage title={arriveTitles[kind]}>
      <p>
        {arriveAs} <strong>{session.email}</strong>
      </p>
      {kind === "other" ? <Button kind="main" onPress={() => enter(session)}>{goOn}</Button> : (
        <NewPassword
          session={session}
          onVerified={setSession}
          onSet={() => enter(session)}
          onEnded={() => setSession(undefined)}
        />
      )}
      <Button onPress={() => leave(session)}>{words().common.cancel}</Button>
    </CardPage>
  );
}

function enter(session: LoggedIn): void {
  beginSession(session);
  arrival.value = undefined;
}

function leave(session: LoggedIn | undefined): void {
  if (session) void logOutOf(session);
  arrival.value = undefined;
}
