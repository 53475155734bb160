import { useState } from "preact/hooks";
import { api, ask } from "../../data/client.ts";
import { decideAuthorization, getAuthorization } from "../../data/sdk.ts";
import { useQuery } from "../../data/query.ts";
import { goOnTo } from "../../data/session/asking_app.ts";
import { attempt } from "../../components/dialog/toast.tsx";
import { Button } from "../../components/button.tsx";
import { ErrorNotice } from "../../components/error_notice.tsx";
import { words } from "../../i18n/words.ts";
import { CardPage } from "../log_in/card_page.tsx";

/** Asks a member whether an app, such as an AI assistant, may use the tools in their name. */
export function Connect({ authorization }: { authorization: string }) {
  const path = { authorization_id: authorization };
  const [isDecided, setDecided] = useState(false);
  const { data, problem, reload } = useQuery(`connect ${authorization}`, async (signal) => {
    const found = await ask(getAuthorization({ client: api(), path, signal }));
    // The member let it in before.
    if ("redirect_url" in found) goOnTo(found.redirect_url);
    return found;
  });

  async function settle(approve: boolean): Promise<void> {
    setDecided(true);
    const done = await attempt(() => ask(decideAuthorization({ client: api(), path, body: { approve } })));
    if (done) goOnTo(done.redirect_url);
    else setDecided(false);
  }

  const { common, connect, logIn } = words();
  if (problem) {
    return (
      <CardPage title={logIn.brokenTitle}>
        <ErrorNotice problem={problem} onRetry={reload} />
      </CardPage>
    );
  }
  if (data === undefined || "redirect_url" in data) {
    return <p class="loading" role="status">{common.loading}</p>;
  }
  const { app, goes_to, email } = data;
  return (
    <CardPage title={connect.title(app.name || app.client_id)}>
      <p>{connect.access(email)}</p>
      <p>
        {connect.goesTo} <strong>{siteOf(goes_to)}</strong>. {connect.onlyIf}
      </p>
      <Button kind="main" disabled={isDecided} onPress={() => settle(true)}>{common.accept}</Button>
      <Button disabled={isDecided} onPress={() => settle(false)}>{common.decline}</Button>
    </CardPage>
  );
}

/** The site, or the program on this machine: nothing else in the address proves who gets the access. */
function siteOf(address: string): string {
  const { protocol, host } = new URL(address);
  return protocol === "https:" || protocol === "http:" ? host : `${protocol}//${host}`;
}
