import { useEffect } from "preact/hooks";
import { type Arrival, arrival } from "../../data/arrival.ts";
import { beginSession } from "../../data/session.ts";
import { Button } from "../../parts/button.tsx";
import { words as shared } from "../../words/words.ts";
import { words } from "./words.ts";

/**
 * Asks who came by the link of an invitation whether they want to log in with it: anybody can write a link that logs
 * others into an account of their own.
 */
export function Arrive({ with: { session } }: { with: Arrival }) {
  const { arriveTitle, arriveAs, arrivePassword, goOn, brokenTitle, broken, toLogIn } = words();
  const title = session ? arriveTitle : brokenTitle;
  useEffect(() => {
    document.title = `${title} · ${shared().product}`;
  }, [title]);
  const leave = () => arrival.value = undefined;
  return (
    <main class="log-in">
      <div class="card">
        <p class="product">{shared().product}</p>
        <h1>{title}</h1>
        {session
          ? (
            <>
              <p>
                {arriveAs} <strong>{session.email}</strong>
              </p>
              <p class="help">{arrivePassword}</p>
              <Button
                kind="main"
                onPress={() => {
                  beginSession(session);
                  leave();
                }}
              >
                {goOn}
              </Button>
              <Button onPress={leave}>{shared().cancel}</Button>
            </>
          )
          : (
            <>
              <p>{broken}</p>
              <Button kind="main" onPress={leave}>{toLogIn}</Button>
            </>
          )}
      </div>
    </main>
  );
}
